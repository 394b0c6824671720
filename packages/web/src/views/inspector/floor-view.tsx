import { floorOf } from '../../inspect/floor.ts';
import { forecast } from '../../inspect/forecast.ts';
import { formatCount, formatDuration, formatTokens } from '../../parts/format.ts';
import { useMemo } from 'react';
import type { Floor } from '../../inspect/floor.ts';
import type { Forecast } from '../../inspect/forecast.ts';
import type { StepViewProps } from './request/step-view.ts';

/** What goes next and about when, and what can never go. Always of the next request. */
export function FloorView({ inspected, step }: StepViewProps) {
  const next = useMemo(() => forecast(inspected), [inspected]);
  const floor = useMemo(() => floorOf(inspected), [inspected]);
  return (
    <div className="grid h-full content-start gap-6 overflow-auto p-4 lg:grid-cols-2">
      {step !== 'next' && (
        <p className="text-sm text-ink-soft lg:col-span-2">
          This is of the next request, whichever the slider shows.
        </p>
      )}
      <NextPass next={next} />
      <FloorBars floor={floor} />
    </div>
  );
}

const neverWords: Readonly<Record<NonNullable<Forecast['never']>, string>> = {
  'switched-off': 'Compaction is switched off in the settings.',
  'only-by-hand': 'Nothing is compacted by itself: the strategy waits for you.',
  'not-growing': 'The context has not grown in the newest steps.',
};

function NextPass({ next }: { readonly next: Forecast }) {
  const { currentTokens, triggerTokens, tokensPerStep, stepsLeft, msLeft } = next;
  const when =
    next.never !== null
      ? neverWords[next.never]
      : stepsLeft === 0
        ? 'With the next request.'
        : `In about ${formatCount(stepsLeft ?? 0)} ${stepsLeft === 1 ? 'step' : 'steps'}${msLeft === null ? '' : `, ${formatDuration(msLeft)}`}, at ${formatTokens(tokensPerStep, true)} tokens per step.`;
  const pass = next.next;
  return (
    <section aria-label="What goes next" className="flex min-w-0 flex-col gap-2 text-sm">
      <h2 className="font-semibold">What goes next</h2>
      <p>{when}</p>
      <p className="text-ink-soft">
        {formatTokens(currentTokens)} of the {formatTokens(triggerTokens)} tokens at which the context is
        compacted.
      </p>
      {pass ? (
        <ul className="list-disc ps-5">
          {pass.range && (
            <li>
              {formatCount(pass.range.messages)} messages, m{pass.range.first} to m{pass.range.end - 1}, would
              become a summary.
            </li>
          )}
          {pass.parts.length > 0 && (
            <li>
              {formatCount(pass.parts.length)} parts would be shortened, saving{' '}
              {formatTokens(
                pass.parts.reduce((sum, { savedTokens }) => sum + savedTokens, 0),
                true,
              )}{' '}
              tokens: from m{pass.parts[0]?.ordinal} on.
            </li>
          )}
          <li>The request would then have {formatTokens(pass.tokensAfter)} tokens.</li>
        </ul>
      ) : (
        <p>Nothing could be gained by a compaction now.</p>
      )}
    </section>
  );
}

function FloorBars({ floor: { parts, tokens, usableTokens, advice } }: { readonly floor: Floor }) {
  const most = Math.max(1, ...parts.map((part) => part.tokens));
  return (
    <section aria-label="What can never go" className="flex min-w-0 flex-col gap-2 text-sm">
      <h2 className="font-semibold">
        What can never go: {formatTokens(tokens)} of {formatTokens(usableTokens)} usable tokens
      </h2>
      {advice !== null && <p className="rounded-lg bg-warn-soft px-3 py-2 text-warn">{advice}</p>}
      <ul className="flex flex-col gap-2">
        {parts.map((part) => (
          <li key={`${part.kind} ${part.name}`}>
            <div className="flex justify-between gap-2">
              <span dir="auto" className="min-w-0 break-words">
                {part.name}
              </span>
              <span className="text-ink-soft tabular-nums">{formatTokens(part.tokens)}</span>
            </div>
            <div aria-hidden className="h-2 rounded-full bg-ground-strong">
              <div
                className="h-2 rounded-full bg-accent"
                style={{ width: `${(part.tokens / most) * 100}%` }}
              />
            </div>
            {part.tools.length > 0 && (
              <details className="pt-1 text-xs text-ink-soft">
                <summary>
                  {part.tools.length === 1 ? '1 tool' : `${formatCount(part.tools.length)} tools`}
                </summary>
                <ul className="grid gap-x-4 sm:grid-cols-2">
                  {part.tools.map((tool) => (
                    <li key={tool.name} className="flex justify-between gap-2">
                      <span className="truncate font-mono">{tool.name}</span>
                      <span>{formatTokens(tool.tokens)}</span>
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
