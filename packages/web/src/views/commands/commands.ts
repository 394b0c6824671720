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
  readonly run: () => void;
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
  const all = [...offers.values()].flatMap(({ current }) => current);
  return groups.flatMap((group) => all.filter((command) => command.group === group));
}
