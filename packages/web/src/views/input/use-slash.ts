import { isComposing } from './send-key.ts';
import { say } from '../../parts/announcer.tsx';
import { slashMatches } from './slash.ts';
import { useEffect, useState } from 'react';
import type { InputBox } from './input-box.ts';
import type { KeyboardEvent } from 'react';
import type { SlashMatch } from './slash.ts';

export const slashListId = 'commands-of-message';
export const slashOptionId = (place: number): string => `${slashListId}-${place}`;

export interface Slash {
  /** What the message may mean; empty while there is no list. */
  readonly matches: readonly SlashMatch[];
  /** Place of the one that Enter does. */
  readonly active: number;
  /** The command that the whole message is, also while there is no list. */
  readonly whole: SlashMatch | undefined;
  readonly choose: (match: SlashMatch) => void;
  /** Whether the key was one of the list. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
  readonly onFocus: () => void;
  readonly onBlur: () => void;
}

const none: readonly SlashMatch[] = [];

/** The list of commands that a message which begins with `/` opens above it. */
export function useSlash(text: string, box: InputBox): Slash {
  const [hasFocus, setFocus] = useState(false);
  const [place, setPlace] = useState({ text, at: 0 });
  const [isDismissed, setDismissed] = useState(false);
  if (isDismissed && !text.startsWith('/')) setDismissed(false);
  const meant = isDismissed ? none : slashMatches(text);
  const matches = hasFocus ? meant : none;
  const whole = meant.find((match) => match.text !== '' || `/${match.command.slash}` === text.trimEnd());
  const active = place.text === text ? Math.min(place.at, matches.length - 1) : 0;
  useSaidCount(matches.length);

  const choose = ({ command, text: behind }: SlashMatch): void => {
    if (command.isOff) return say(`“${command.label}” cannot be done now.`);
    box.write('');
    command.run(behind);
  };
  const move = (by: number): void => setPlace({ text, at: (active + by + matches.length) % matches.length });
  const complete = ({ command }: SlashMatch): boolean => {
    const whole = `/${command.slash}${command.takes === undefined ? '' : ' '}`;
    if (text.startsWith(whole.trimEnd())) return false;
    box.write(whole);
    return true;
  };
  const keys: Readonly<Record<string, (match: SlashMatch) => boolean | void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: choose,
    Tab: complete,
    Escape: () => setDismissed(true),
  };
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const match = matches[active];
    const hasOther = event.shiftKey || event.altKey || event.ctrlKey || event.metaKey;
    if (match === undefined || hasOther || isComposing(event)) return false;
    return Object.hasOwn(keys, event.key) && keys[event.key]?.(match) !== false;
  };
  return {
    matches,
    active,
    whole,
    choose,
    onKeyDown,
    onFocus: () => setFocus(true),
    onBlur: () => setFocus(false),
  };
}

function useSaidCount(count: number): void {
  useEffect(() => {
    if (count > 0)
      say(
        `${count === 1 ? 'One command' : `${count} commands`}: the arrows choose, Enter does it, Escape closes the list.`,
      );
  }, [count]);
}
