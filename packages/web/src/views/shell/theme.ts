import { useSyncExternalStore } from 'react';
import { watchable } from '../../data/watchable.ts';

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

const chosen = watchable<ThemeChoice>(storedTheme());
dark.addEventListener('change', () => applyTheme(chosen.get()));

function choose(choice: ThemeChoice): void {
  if (choice === 'system') localStorage.removeItem(key);
  else localStorage.setItem(key, choice);
  applyTheme(choice);
  chosen.set(choice);
}

/** The same for all who ask. */
export function useTheme(): readonly [ThemeChoice, (choice: ThemeChoice) => void] {
  return [useSyncExternalStore(chosen.subscribe, chosen.get), choose];
}
