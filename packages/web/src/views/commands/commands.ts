import { useEffect, useId, useRef } from 'react';
import type { ShortcutId } from './shortcuts.ts';

/** Something that can be done on the page as it is now. */
export interface Command {
  /** What is done, in a few words that one would look for. */
  readonly label: string;
  /** Other words one may look for. */
  readonly words?: string;
  readonly group: 'This session' | 'Page';
  /** Its keys from everywhere. */
  readonly shortcut?: ShortcutId;
  /** What is written behind `/` in the message to do it; without it, it is done elsewhere only. */
  readonly slash?: string;
  /** What may be written behind that, in a few words. @default nothing may */
  readonly takes?: string;
  /** It cannot be done now: only who asks for it by its name is told so. */
  readonly isOff?: boolean;
  /** @param text what was written behind `slash` */
  readonly run: (text?: string) => void;
}

/** What the views that are shown offer, by who offers it. */
const offers = new Map<string, { readonly current: readonly Command[] }>();

/** Offers commands for as long as the component is there. */
export function useCommands(commands: readonly Command[]): void {
  const source = useId();
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  });
  useEffect(() => {
    offers.set(source, latest);
    return () => void offers.delete(source);
  }, [source]);
}

const groups: readonly Command['group'][] = ['This session', 'Page'];

/** All that can be done now: with the session first. */
export function offeredCommands(): readonly Command[] {
  return allCommands().filter(({ isOff = false }) => !isOff);
}

export type SlashCommand = Command & Required<Pick<Command, 'slash'>>;

/** All that has a name to be written in the message, what cannot be done now last. */
export function slashCommands(): readonly SlashCommand[] {
  const named = allCommands().filter((command): command is SlashCommand => command.slash !== undefined);
  return [...named.filter(({ isOff = false }) => !isOff), ...named.filter(({ isOff = false }) => isOff)];
}

function allCommands(): readonly Command[] {
  const all = [...offers.values()].flatMap(({ current }) => current);
  return groups.flatMap((group) => all.filter((command) => command.group === group));
}
