import { useEffect, useState } from 'react';

export type ThemeChoice = 'system' | 'light' | 'dark';

const key = 'throughline.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

export function storedTheme(): ThemeChoice {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Called before the first drawing, so that nothing flashes. */
export function applyTheme(choice: ThemeChoice): void {
  const isDark = choice === 'dark' || (choice === 'system' && dark.matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
}

export function useTheme(): readonly [ThemeChoice, (choice: ThemeChoice) => void] {
  const [choice, setChoice] = useState(storedTheme);
  useEffect(() => {
    applyTheme(choice);
    if (choice === 'system') localStorage.removeItem(key);
    else localStorage.setItem(key, choice);
    const follow = (): void => applyTheme(choice);
    dark.addEventListener('change', follow);
    return () => dark.removeEventListener('change', follow);
  }, [choice]);
  return [choice, setChoice];
}
