import { clsx } from 'clsx';
import { formatTime } from '../../parts/format.ts';
import { noteText } from './note-words.ts';
import { visibleText } from '../../parts/visible-text.ts';
import type { NoteText } from './note-words.ts';
import type { TraceNote } from '../../data/types.ts';

const tones: Readonly<Record<NoteText['tone'], string>> = {
  plain: 'text-ink',
  good: 'text-good',
  warn: 'text-warn',
  bad: 'text-bad',
};

/** Why something went as it did, a line each. */
export function Notes({
  notes,
  hasTime = false,
}: {
  readonly notes: readonly TraceNote[];
  readonly hasTime?: boolean;
}) {
  if (notes.length === 0) return null;
  return (
    <ul aria-label="Notes" className="flex flex-col gap-0.5 text-xs">
      {notes.map((note) => {
        const { label, detail, tone } = noteText(note);
        return (
          <li key={note.seq} className="flex flex-wrap gap-x-2">
            {hasTime && <span className="text-ink-faint tabular-nums">{formatTime(note.atMs)}</span>}
            <span className={clsx('font-medium', tones[tone])}>{label}</span>
            <span dir="auto" className="min-w-0 break-words text-ink-soft">
              {visibleText(detail)}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
