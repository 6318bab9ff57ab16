// Runs before the first paint, so that a chosen theme does not flash.
try {
  const chosen = localStorage.getItem('memsieve.theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // Storage is shut: the system's theme holds.
}
