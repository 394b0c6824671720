import { formatCount, formatDuration, formatTime, formatTokens } from '../../parts/format.ts';
import { Notes } from './notes.tsx';
import { StepRow } from './step-row.tsx';
import { useState } from 'react';
import type { RunOutcome, TraceRun } from '../../data/types.ts';

interface RunRowProps {
  readonly run: TraceRun;
  /** Among the runs; `null` for what happened outside of them. */
  readonly number: number | null;
  readonly isOpenAtFirst: boolean;
  /** Takes the number of the event with which the step began. */
  readonly onShowRequest: (seq: number) => void;
}

const outcomeWords: Readonly<Record<RunOutcome['type'], string>> = {
  completed: 'completed',
  cancelled: 'cancelled by you',
  limit: 'reached a limit',
  failed: 'failed',
  'cannot-fit': 'did not fit into the window',
  lost: 'taken over by another process',
  broken: 'broke off',
};

/** One run: collapsed to a line, or with its steps. */
export function RunRow({ run, number, isOpenAtFirst, onShowRequest }: RunRowProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const { startedAtMs, outcome, durationMs, steps, notes } = run;
  const tokens = steps.reduce((sum, { usage }) => sum + (usage?.input ?? 0), 0);
  return (
    <li>
      <details
        open={isOpen}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
        className="rounded-lg border border-line"
      >
        <summary className="flex flex-wrap items-baseline gap-x-3 rounded-lg bg-ground-soft px-3 py-2 text-sm">
          <h3 className="font-medium">{number === null ? 'Outside of runs' : `Run ${number}`}</h3>
          {number !== null && (
            <span className={outcome && outcome.type !== 'completed' ? 'text-bad' : 'text-ink-soft'}>
              {outcome ? outcomeWords[outcome.type] : steps.length > 0 ? 'under way' : ''}
            </span>
          )}
          <span className="text-xs text-ink-faint tabular-nums">
            {startedAtMs !== null && `${formatTime(startedAtMs)} · `}
            {number !== null && (steps.length === 1 ? '1 step' : `${formatCount(steps.length)} steps`)}
            {tokens > 0 && ` · ${formatTokens(tokens)} tokens read`}
            {durationMs !== null && ` · ${formatDuration(durationMs)}`}
          </span>
        </summary>
        {isOpen && (
          <div className="flex flex-col gap-2 border-t border-line p-2">
            <Notes notes={notes} />
            <ol className="flex flex-col">
              {steps.map((step) => (
                <StepRow key={step.seq} step={step} onShowRequest={onShowRequest} />
              ))}
            </ol>
          </div>
        )}
      </details>
    </li>
  );
}
