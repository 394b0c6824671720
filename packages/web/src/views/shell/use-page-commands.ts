import { areas } from './areas.ts';
import { useCommands } from '../commands/commands.ts';
import { useLocation } from 'wouter';
import { useSessionDeeds } from './use-session-deeds.ts';
import { useTheme } from './theme.ts';
import type { Command } from '../commands/commands.ts';
import type { ThemeChoice } from './theme.ts';

const themes: Readonly<Record<ThemeChoice, string>> = {
  light: 'Light colours',
  dark: 'Dark colours',
  system: 'Colours as the system has them',
};

/** What can be done wherever one is on the page. */
export function usePageCommands(): void {
  const { create } = useSessionDeeds();
  const [theme, chooseTheme] = useTheme();
  const [, navigate] = useLocation();
  const places = [{ href: '/', label: 'Start' }, ...areas];
  useCommands([
    {
      label: 'New session',
      words: 'chat begin',
      group: 'Page',
      shortcut: 'new-session',
      slash: 'new',
      run: () => create(),
    },
    ...places.map(({ href, label }): Command => ({
      label: `Go to: ${label}`,
      group: 'Page',
      run: () => navigate(href),
    })),
    ...Object.entries(themes)
      .filter(([choice]) => choice !== theme)
      .map(([choice, label]): Command => ({
        label,
        words: 'theme colors mode',
        group: 'Page',
        run: () => chooseTheme(choice as ThemeChoice),
      })),
  ]);
}
