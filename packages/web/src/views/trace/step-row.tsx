import { Button } from '../../parts/button.tsx';
import { formatCount, formatDuration, formatTokens } from '../../parts/format.ts';
import { Notes } from './notes.tsx';
import type { TraceCall, TraceStep } from '../../data/types.ts';

interface StepRowProps {
  readonly step: TraceStep;
  readonly onShowRequest: (seq: number) => void;
}

/** One request of a model: what it read and wrote, how long it took, the calls it made. */
export function StepRow({ step, onShowRequest }: StepRowProps) {
  const { seq, calls, notes, model, finish } = step;
  return (
    <li className="flex flex-col gap-1 border-t border-line px-1 py-2 first:border-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm">
        <h4 className="font-medium">Step {step.step}</h4>
        <span dir="auto" className="text-xs text-ink-soft">
          {model}
        </span>
        <span className="min-w-0 flex-1 text-xs text-ink-soft tabular-nums">{figuresOf(step)}</span>
        {finish !== null && <span className="text-xs text-ink-faint">{finish}</span>}
        <Button isSmall aria-label={`Request of step ${step.step}`} onClick={() => onShowRequest(seq)}>
          Request
        </Button>
      </div>
      {calls.length > 0 && (
        <ul aria-label="Calls" className="flex flex-wrap gap-1">
          {calls.map((call) => (
            <li key={call.callId} className="rounded-md bg-ground-strong px-2 py-0.5 text-xs">
              <span dir="auto" className="font-mono">
                {call.toolName}
              </span>{' '}
              <span className={call.success === false ? 'text-bad' : 'text-ink-soft'}>{callState(call)}</span>
            </li>
          ))}
        </ul>
      )}
      <Notes notes={notes} />
    </li>
  );
}

function figuresOf({ usage, durationMs, firstTokenMs }: TraceStep): string {
  const cached = usage && usage.input > 0 ? Math.round((usage.cacheRead / usage.input) * 100) : 0;
  const parts = [
    usage && `${formatCount(usage.input)} read`,
    usage && usage.cacheRead > 0 && `${cached} % from the cache`,
    usage && `${formatCount(usage.output)} written`,
    usage && usage.reasoning > 0 && `${formatTokens(usage.reasoning)} of it reasoning`,
    firstTokenMs !== null && `first word after ${formatDuration(firstTokenMs)}`,
    durationMs !== null && `took ${formatDuration(durationMs)}`,
  ];
  return (
    parts.filter((part) => typeof part === 'string').join(' · ') || 'no figures: it did not come to its end'
  );
}

function callState({ success, isCancelled, isTruncated, durationMs }: TraceCall): string {
  const state = isCancelled ? 'cancelled' : success === null ? 'no result' : success ? 'done' : 'failed';
  return [
    state,
    ...(durationMs === null ? [] : [formatDuration(durationMs)]),
    ...(isTruncated ? ['output truncated'] : []),
  ].join(', ');
}
