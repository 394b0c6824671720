import { ChevronLeft, ChevronRight } from 'lucide-react';
import { formatCount, formatTime, formatTokens } from '../../parts/format.ts';
import { IconButton } from '../../parts/button.tsx';
import { lacksInstructions } from '../../inspect/inspected.ts';
import { measuredTokens, requestAt } from '../../inspect/request-at.ts';
import { useDeferredValue } from 'react';
import type { RequestAt } from '../../inspect/request-at.ts';
import type { Inspected, StepIndex, StepUsage } from '../../inspect/inspected.ts';

interface StepSliderProps {
  readonly inspected: Inspected;
  readonly step: StepIndex;
  readonly onStep: (step: StepIndex) => void;
}

/** Which request is looked at: every one that was sent, and the one that comes next. */
export function StepSlider({ inspected, step, onStep }: StepSliderProps) {
  const last = inspected.steps.length;
  const at = step === 'next' ? last : step;
  const go = (to: number): void => onStep(to >= last ? 'next' : Math.max(0, to));
  const name = at === last ? 'The next request' : `Request ${at + 1} of ${last}`;
  return (
    <section
      aria-label="Time"
      className="flex shrink-0 flex-col gap-1 border-b border-line bg-ground-soft px-4 py-2"
    >
      <div className="flex items-center gap-2">
        <IconButton label="Earlier request" isSmall disabled={at === 0} onClick={() => go(at - 1)}>
          <ChevronLeft size={16} aria-hidden />
        </IconButton>
        <input
          type="range"
          min={0}
          max={last}
          value={at}
          aria-label="Which request"
          aria-valuetext={name}
          onChange={({ target }) => go(Number(target.value))}
          className="min-w-0 flex-1 accent-accent"
        />
        <IconButton label="Later request" isSmall disabled={at === last} onClick={() => go(at + 1)}>
          <ChevronRight size={16} aria-hidden />
        </IconButton>
      </div>
      <StepFacts inspected={inspected} step={step} name={name} />
    </section>
  );
}

interface StepFactsProps extends Omit<StepSliderProps, 'onStep'> {
  readonly name: string;
}

/** While the slider is pulled the facts may come a little later than its handle. */
function StepFacts({ inspected, step, name }: StepFactsProps) {
  const shown = useDeferredValue(step);
  const request = requestAt(inspected, shown);
  const { usage, model, startedAtMs, head } = request.step ?? {
    usage: null,
    model: null,
    startedAtMs: null,
    head: null,
  };
  const measured = measuredTokens(inspected, request);
  const pass = inspected.passes.find(({ id }) => id === head);
  const facts = [
    usage
      ? `${formatCount(usage.inputTokens)} tokens in${cachedText(usage)}, ${formatCount(usage.outputTokens)} out`
      : `${formatTokens(measured, true)} tokens${lacksInstructions(inspected) ? ' beside the client’s instructions and tools' : ''}`,
    ...inFile(inspected, measured, request.estimatedTokens),
    `${formatCount(request.messages.length)} messages for a history of ${formatCount(request.historyLength)}${saidText(inspected, request)}`,
    ...(pass ? [`under ${pass.name}`] : []),
    ...(model === null ? [] : [model]),
    ...(startedAtMs === null ? [] : [formatTime(startedAtMs)]),
  ];
  return (
    <p className="text-xs text-ink-soft">
      <strong className="text-ink">{name}</strong>: {facts.join(' · ')}
    </p>
  );
}

/** Below it the two numbers are one to people. */
const notableShare = 0.1;

/** Most logs hold neither system text nor tools, and the provider counts them. `throughline inspect` has this number. */
function inFile({ source }: Inspected, measured: number, estimated: number): readonly string[] {
  return source === 'file' && Math.abs(measured - estimated) > measured * notableShare
    ? [`${formatTokens(estimated, true)} by an estimate of the file alone`]
    : [];
}

/** What was said up to then, where something of it is not sent any more: `throughline inspect` counts that, too. */
function saidText({ transcript }: Inspected, { state, historyLength, step }: RequestAt): string {
  if (state.changes.length === 0) return '';
  const { tokensBefore } = transcript.conversation;
  const outside = transcript.systemTokens + transcript.toolsTokens;
  const tokens = outside + (tokensBefore.at(historyLength) ?? 0);
  return ` (${formatTokens(tokens, true)} tokens${step ? '' : ' as they were said'})`;
}

function cachedText({ cacheReadTokens }: StepUsage): string {
  return cacheReadTokens === null ? '' : `, ${formatCount(cacheReadTokens)} of them from the cache`;
}
