const NAME = 'memsieve.half';

/** Where storage is shut, it is kept until the page is left. */
let unstored: string | null = null;

/** The page's half of the key: of no use without the cookie, and read by this origin alone, ports included. */
export function storedHalf(): string | null {
  try {
    return localStorage.getItem(NAME) ?? unstored;
  } catch {
    return unstored;
  }
}

export function storeHalf(half: string): void {
  unstored = null;
  try {
    localStorage.setItem(NAME, half);
  } catch {
    unstored = half;
  }
}

/** Forget a half; another that came since stays. */
export function dropHalf(half: string | null): void {
  if (half === null || storedHalf() !== half) return;
  unstored = null;
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
  return new URL(address, location.href).origin === location.origin ? storedHalf() : null;
}
