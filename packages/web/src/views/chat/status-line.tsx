import { LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import { useSeconds } from '../../parts/use-seconds.ts';
import type { Activity, RunningCompaction } from '../../data/conversation/state.ts';

export interface StatusLineProps {
  readonly activity: Activity;
  readonly compaction: RunningCompaction | null;
}

const phases = { pruning: 'optimising', summarizing: 'summarising' };

/** What is being done now, and for how long. Its place is kept while nothing is. */
export function StatusLine({ activity, compaction }: StatusLineProps) {
  const isIdle = activity.type === 'idle' && !compaction;
  const sinceMs = compaction ? compaction.startedAtMs : 'sinceMs' in activity ? activity.sinceMs : undefined;
  const seconds = useSeconds(isIdle ? undefined : sinceMs);
  const text = compaction ? compactionText(compaction) : activityText(activity);
  return (
    <div
      className="mx-auto flex h-7 w-full max-w-3xl items-center gap-2 px-4 text-sm text-ink-soft"
      data-status
    >
      {!isIdle && (
        <>
          <LoaderCircle size={14} aria-hidden className="animate-spin text-accent" />
          <span dir="auto" className="min-w-0 truncate">
            {text}
            {!compaction && activity.type === 'retrying' && (
              <Countdown key={activity.nextAtMs} toMs={activity.nextAtMs} />
            )}
          </span>
          {sinceMs !== undefined && seconds > 0 && (
            <span className="shrink-0 text-ink-faint tabular-nums">{seconds} s</span>
          )}
        </>
      )}
    </div>
  );
}

/** How long it is until the model is asked again. */
function Countdown({ toMs }: { readonly toMs: number }) {
  const [beganMs] = useState(Date.now);
  const left = Math.ceil((toMs - beganMs) / 1_000) - useSeconds(beganMs);
  return left > 0 ? ` in ${left} s` : ' now';
}

function compactionText({ phase, progress }: RunningCompaction): string {
  const done = progress > 0 && progress < 1 ? ` ${Math.round(progress * 100)} %` : '';
  return phase === null ? 'compacting' : `compacting: ${phases[phase]}${done}`;
}

function activityText(activity: Activity): string {
  if (activity.type === 'tool') return `tool ${activity.toolName}`;
  if (activity.type === 'waiting') return 'waits for your answer';
  if (activity.type === 'retrying') return `${activity.reason}: attempt ${activity.attempt}`;
  return activity.type;
}
