import { sessionTitle } from '../../parts/format.ts';
import type { Command } from './commands.ts';
import type { FoundTextProps } from '../../parts/text/found-text.tsx';
import type { FoundSession, Session } from '../../data/sessions.ts';

export type PaletteItem =
  | { readonly type: 'command'; readonly key: string; readonly label: string; readonly command: Command }
  | {
      readonly type: 'place';
      readonly key: string;
      readonly label: string;
      readonly href: string;
      readonly found?: FoundTextProps;
      readonly atMs?: number;
    };

export interface PaletteGroup {
  readonly value: string;
  readonly items: readonly PaletteItem[];
}

interface PaletteSources {
  readonly commands: readonly Command[];
  readonly sessions: readonly Session[];
  readonly found: readonly FoundSession[];
}

const mostSessions = 8;
const mostHits = 3;

/** What fits the words, in groups; without words all commands and the newest sessions. Empty groups are left out. */
export function paletteGroups(
  text: string,
  { commands, sessions, found }: PaletteSources,
): readonly PaletteGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (said: string): boolean => words.every((word) => said.toLowerCase().includes(word));
  const commandGroups = (['This session', 'Page'] as const).map((group) => ({
    value: group as string,
    items: commands
      .filter((command) => command.group === group && fits(`${command.label} ${command.words ?? ''}`))
      .map((command): PaletteItem => ({
        type: 'command',
        key: command.label,
        label: command.label,
        command,
      })),
  }));
  const titled = sessions
    .filter((session) => fits(sessionTitle(session)))
    .slice(0, mostSessions)
    .map((session): PaletteItem => ({
      type: 'place',
      key: session.id,
      label: sessionTitle(session),
      href: `/sessions/${session.id}`,
      atMs: session.updatedAtMs,
    }));
  const said = found.flatMap(({ session, hits }) =>
    hits.slice(0, mostHits).map(({ id, excerpt }): PaletteItem => ({
      type: 'place',
      key: `${session.id} ${id}`,
      label: sessionTitle(session),
      href: `/sessions/${session.id}/at/${id}`,
      found: { excerpt, sought: text },
    })),
  );
  const groups = [
    ...commandGroups,
    { value: 'Sessions', items: titled },
    { value: 'Said in sessions', items: said },
  ];
  return groups.filter(({ items }) => items.length > 0);
}
