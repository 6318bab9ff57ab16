import { useCallback, useState } from 'react';

/** What this browser remembers of a person's choices, and nothing secret. */
export type Preference = 'language' | 'theme' | 'project';

export function recall(name: Preference): string | null {
  try {
    return localStorage.getItem(`memsieve.${name}`);
  } catch {
    return null;
  }
}

export function remember(name: Preference, value: string): void {
  try {
    localStorage.setItem(`memsieve.${name}`, value);
  } catch {
    // Storage is shut: the choice holds until the page is left.
  }
}

/** A state that is still the same on the next visit. */
export function useRemembered<T extends string>(name: Preference, first: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => (recall(name) as T | null) ?? first);
  const set = useCallback(
    (next: T) => {
      remember(name, next);
      setValue(next);
    },
    [name],
  );
  return [value, set];
}
