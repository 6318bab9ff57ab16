const NAME = 'memsieve.half';

/** Where storage is shut, it holds until the page is left. */
let own: string | null = null;

/** The page's half of the key: of no use without the cookie, and read by this origin alone, ports included. */
export function heldHalf(): string | null {
  try {
    return localStorage.getItem(NAME) ?? own;
  } catch {
    return own;
  }
}

export function keepHalf(half: string): void {
  own = null;
  try {
    localStorage.setItem(NAME, half);
  } catch {
    own = half;
  }
}

/** Forget a half; another that came since stays. */
export function dropHalf(half: string | null): void {
  if (half === null || heldHalf() !== half) return;
  own = null;
  try {
    localStorage.removeItem(NAME);
  } catch {
    // Storage is shut, and holds none.
  }
}

/** The half for an address: none leaves for another origin. */
export function halfFor(address: string): string | null {
  // Outside a browser there is no page, and nothing that it keeps.
  if (typeof location === 'undefined') return null;
  return new URL(address, location.href).origin === location.origin ? heldHalf() : null;
}
