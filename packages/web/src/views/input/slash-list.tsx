import { clsx } from 'clsx';
import { slashListId, slashOptionId } from './use-slash.ts';
import { useEffect, useRef } from 'react';
import type { Slash } from './use-slash.ts';
import type { SlashMatch } from './slash.ts';

/** What a message that begins with `/` may mean, above the field; the focus stays in the field. */
export function SlashList({ slash }: { readonly slash: Slash }) {
  const { matches, active, choose } = slash;
  if (matches.length === 0) return null;
  return (
    <ul
      id={slashListId}
      role="listbox"
      aria-label="Commands"
      // A press on it does not take the focus from the field.
      onMouseDown={(event) => event.preventDefault()}
      className="border-b border-line pb-1"
    >
      {matches.map((match, place) => (
        <Option
          key={match.command.slash}
          id={slashOptionId(place)}
          match={match}
          isActive={place === active}
          onChoose={() => choose(match)}
        />
      ))}
    </ul>
  );
}

interface OptionProps {
  readonly id: string;
  readonly match: SlashMatch;
  readonly isActive: boolean;
  readonly onChoose: () => void;
}

function Option({ id, match: { command, text }, isActive, onChoose }: OptionProps) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  const { slash, label, takes, isOff = false } = command;
  return (
    <li
      ref={row}
      id={id}
      role="option"
      aria-selected={isActive}
      aria-disabled={isOff || undefined}
      onClick={onChoose}
      className={clsx(
        'flex min-h-8 cursor-default items-baseline gap-3 rounded-md px-2 py-1 text-sm',
        isActive && 'bg-accent-soft',
      )}
    >
      <span className={clsx('min-w-20 shrink-0 font-mono text-xs', isOff && 'text-ink-faint')}>/{slash}</span>
      <span className="min-w-0 flex-1 truncate text-ink-soft">
        {label}
        {text !== '' && <span dir="auto">: {text}</span>}
        {text === '' && takes !== undefined && <span className="text-ink-faint"> … {takes}</span>}
      </span>
      {isOff && <span className="shrink-0 text-xs text-ink-faint">not now</span>}
    </li>
  );
}
