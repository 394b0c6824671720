import { Button } from '../../parts/button.tsx';
import { formatDuration, formatTokens } from '../../parts/format.ts';
import { phaseWords, reasonWords } from './compaction-words.ts';
import { toastFailure } from '../../parts/popups/toast.ts';
import { useContextActions } from '../../data/context/context-actions.ts';
import { useSeconds } from '../../parts/use-seconds.ts';
import type { ContextMeterProps } from './context-meter.tsx';

/** While a compaction is being made: what is done, how far it is, how long it has taken, and a way to stop it. */
export function CompactionIndicator({ conversation, live }: ContextMeterProps) {
  const { runningCompaction: running, session } = conversation;
  const actions = useContextActions(session.id, live);
  const seconds = useSeconds(running?.startedAtMs);
  if (!running) return null;
  const { phase, progress, tokensBefore, reason } = running;
  const percent = Math.round(progress * 100);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line bg-accent-soft px-4 py-2 text-sm">
      <span className="font-medium">{phase ? phaseWords[phase] : 'Compacting'} the context</span>
      <span
        role="progressbar"
        aria-label="Compaction"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        className="h-2 w-28 overflow-hidden rounded-full bg-ground-strong"
      >
        <span className="block h-full rounded-full bg-accent" style={{ width: `${Math.max(4, percent)}%` }} />
      </span>
      <span className="text-ink-soft tabular-nums">{formatDuration(seconds * 1_000)}</span>
      <span className="min-w-0 flex-1 text-xs text-ink-soft">
        {formatTokens(tokensBefore)} tokens; {reasonWords[reason]}
      </span>
      <Button isSmall onClick={() => void toastFailure('It could not be cancelled', actions.cancel)}>
        Cancel
      </Button>
    </div>
  );
}
