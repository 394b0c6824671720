import { LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import { useSeconds } from '../../parts/use-seconds.ts';
import type { Activity, RunningCompaction } from '../../data/conversation/state.ts';

interface StatusLineProps {
  readonly activity: Activity;
  readonly compaction: RunningCompaction | null;
}

type Retrying = Extract<Activity, { readonly type: 'retrying' }>;

const phases = { pruning: 'optimising', summarizing: 'summarising' };

/** What is being done now, and for how long. Its place is kept while nothing is. */
export function StatusLine({ activity, compaction }: StatusLineProps) {
  const isIdle = activity.type === 'idle' && !compaction;
  const sinceMs = compaction ? compaction.startedAtMs : 'sinceMs' in activity ? activity.sinceMs : undefined;
  const seconds = useSeconds(isIdle ? undefined : sinceMs);
  const text = compaction ? compactionText(compaction) : activityText(activity);
  return (
    <div
      className="mx-auto flex min-h-7 w-full max-w-3xl items-center gap-2 px-4 text-sm text-ink-soft"
      data-status
    >
      {!isIdle && (
        <>
          <LoaderCircle size={14} aria-hidden className="animate-spin text-accent" />
          {!compaction && activity.type === 'retrying' ? (
            <Retry key={activity.nextAtMs} retry={activity} />
          ) : (
            <span dir="auto" className="min-w-0 truncate">
              {text}
            </span>
          )}
          {sinceMs !== undefined && seconds > 0 && (
            <span className="shrink-0 text-ink-faint tabular-nums">{seconds} s</span>
          )}
        </>
      )}
    </div>
  );
}

/** How long it is until the model is asked again, and what it said: all of it, because its end says what to do. */
function Retry({ retry: { attempt, nextAtMs, reason } }: { readonly retry: Retrying }) {
  const [beganMs] = useState(Date.now);
  const left = Math.ceil((nextAtMs - beganMs) / 1_000) - useSeconds(beganMs);
  return (
    <span className="min-w-0 break-words line-clamp-6">
      {`attempt ${attempt} ${left > 0 ? `in ${left} s` : 'now'}: `}
      <bdi>{reason}</bdi>
    </span>
  );
}

function compactionText({ phase, progress }: RunningCompaction): string {
  const done = progress > 0 && progress < 1 ? ` ${Math.round(progress * 100)} %` : '';
  return phase === null ? 'compacting' : `compacting: ${phases[phase]}${done}`;
}

function activityText(activity: Activity): string {
  if (activity.type === 'tool') return `tool ${activity.toolName}`;
  if (activity.type === 'waiting') return 'waits for your answer';
  return activity.type;
}
