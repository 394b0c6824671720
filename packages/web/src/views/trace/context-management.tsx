import { Notes } from './notes.tsx';
import { notesOf } from './trace-figures.ts';
import { noteText } from './note-words.ts';
import { useMemo } from 'react';
import type { TraceNote, TraceRun } from '../../data/types.ts';

interface Group {
  readonly label: string;
  readonly notes: readonly TraceNote[];
}

/** All that was done to the context, by kind: prunes, compactions, overflows, repairs. */
export function ContextManagement({ runs }: { readonly runs: readonly TraceRun[] }) {
  const groups = useMemo(() => groupsOf(runs), [runs]);
  return (
    <section aria-label="Context management" className="flex flex-col gap-2">
      <h2 className="font-semibold">Context management</h2>
      {groups.length === 0 ? (
        <p className="text-sm text-ink-soft">Nothing had to be done to the context so far.</p>
      ) : (
        groups.map(({ label, notes }) => (
          <details key={label} className="rounded-lg border border-line">
            <summary className="rounded-lg bg-ground-soft px-3 py-1.5 text-sm">
              {label} <span className="text-ink-faint tabular-nums">{notes.length}</span>
            </summary>
            <div className="border-t border-line p-3">
              <Notes notes={notes} hasTime />
            </div>
          </details>
        ))
      )}
    </section>
  );
}

function groupsOf(runs: readonly TraceRun[]): readonly Group[] {
  const byLabel = new Map<string, TraceNote[]>();
  for (const note of notesOf(runs)) {
    const { label, isContext } = noteText(note);
    if (isContext) byLabel.set(label, [...(byLabel.get(label) ?? []), note]);
  }
  return [...byLabel].map(([label, notes]) => ({ label, notes }));
}
