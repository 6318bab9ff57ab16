import { useEffect } from 'react';
import { useRemembered } from './preferences';

export type Theme = 'system' | 'light' | 'dark';

/** The theme and a way to change it; /theme.js sets it before the first paint. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useRemembered<Theme>('theme', 'system');
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
  return [theme, setTheme];
}
