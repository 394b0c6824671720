import { cacheAt } from '../../inspect/prefix-cache.ts';
import { clsx } from 'clsx';
import { Empty } from '../../parts/notice.tsx';
import { formatCost, formatCount, formatDuration, formatTokens } from '../../parts/format.ts';
import { memo, useDeferredValue, useMemo } from 'react';
import type { BreakCause, CachedMessage, StepCache } from '../../inspect/prefix-cache.ts';
import type { StepViewProps } from './request/step-view.ts';

/** What of a request came from the provider's cache, message by message, and why the rest did not. */
export function CacheView({ inspected, ...props }: StepViewProps) {
  // Long lists come a little later than the handle of the slider.
  const step = useDeferredValue(props.step);
  const index = step === 'next' ? inspected.steps.length - 1 : step;
  const cache = useMemo(() => (index < 0 ? undefined : cacheAt(inspected, index)), [inspected, index]);
  if (!cache)
    return <Empty title="Nothing was sent yet">The prefix cache is seen from the second request on.</Empty>;
  return (
    <div className="flex h-full flex-col gap-3 overflow-auto p-4 text-sm">
      {step === 'next' && (
        <p className="text-ink-soft">The next request was not sent: this is the newest that was.</p>
      )}
      <Facts cache={cache} isProxied={inspected.source === 'conversation'} />
      <Strip messages={cache.messages} />
    </div>
  );
}

interface FactsProps {
  readonly cache: StepCache;
  /** What an upstream says of its cache is not kept. */
  readonly isProxied: boolean;
}

function Facts({ cache: { cause, rewrittenTokens, rewrittenUsd, readTokens }, isProxied }: FactsProps) {
  return (
    <ul className="list-disc ps-5">
      <li>
        {cause ? causeText(cause) : 'The prefix held: all that was sent before could be read from the cache.'}
      </li>
      <li>
        Written again: {formatTokens(rewrittenTokens, true)} tokens
        {rewrittenUsd === null ? '' : `, ${formatCost(rewrittenUsd)} more than from the cache`}.
      </li>
      <li>
        {readTokens === null
          ? isProxied
            ? 'What the provider said of its cache is not kept for proxied conversations.'
            : 'The provider says nothing of its cache.'
          : `The provider says it has read ${formatCount(readTokens)} tokens from its cache.`}
      </li>
    </ul>
  );
}

type Words = {
  readonly [Type in BreakCause['type']]: (cause: Extract<BreakCause, { readonly type: Type }>) => string;
};

const words: Words = {
  'first-request': () => 'The first request: there was no prefix yet.',
  'model-switched': ({ from, to }) => `The model was switched from ${from} to ${to}.`,
  'beginning-changed': ({ system, tools }) =>
    system && tools
      ? 'System text and tools were others than before: nothing behind them was found.'
      : system
        ? 'The system text was another than before: nothing behind it was found.'
        : 'The tools were others than before: nothing behind them was found.',
  'cache-expired': ({ idleMs }) =>
    `Nothing was asked for ${formatDuration(idleMs)}: the provider had let the prefix go.`,
  changes: ({ passes, changes }) =>
    passes.length > 0
      ? `The prefix broke by ${passes.map(({ name }) => name).join(', ')}.`
      : `The prefix broke by ${changes.length} changes before the request.`,
  undone: ({ pass }) => `It broke because ${pass.name} was taken back.`,
  'edited-history': ({ ordinal }) =>
    `What was said before is another text now${ordinal === null ? '' : `, from m${ordinal} on`}.`,
  'not-read': ({ expectedTokens, readTokens, isSameBeginning }) =>
    `All is as before, and the provider read ${formatCount(readTokens)} of about ${formatCount(expectedTokens)} tokens: ${isSameBeginning ? 'it has forgotten the rest' : 'system text or tools were others, or it has forgotten them'}.`,
};

function causeText(cause: BreakCause): string {
  return (words[cause.type] as (cause: BreakCause) => string)(cause);
}

const stateWords: Readonly<Record<CachedMessage['state'], string>> = {
  cached: 'cached',
  rewritten: 'written again',
  new: 'new',
};
const tones = { cached: 'bg-good', rewritten: 'bg-bad', new: 'bg-accent' };

/** More than people read; the bar has all. */
const mostListed = 600;

/** Neighbours of one state look like one. */
function runsOf(messages: readonly CachedMessage[]): readonly CachedMessage[] {
  const runs: CachedMessage[] = [];
  for (const message of messages) {
    const run = runs.at(-1);
    if (run?.state === message.state) runs[runs.length - 1] = { ...run, tokens: run.tokens + message.tokens };
    else runs.push(message);
  }
  return runs;
}

/** What of the request is in which state as a bar as wide as it has tokens, and every message in a list. */
const Strip = memo(function Strip({ messages }: { readonly messages: readonly CachedMessage[] }) {
  const total = Math.max(
    1,
    messages.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  return (
    <>
      <div aria-hidden className="flex h-8 w-full shrink-0 overflow-hidden rounded-md border border-line">
        {runsOf(messages).map(({ index, state, tokens }) => (
          <div
            key={index}
            className={clsx('h-full', tones[state])}
            style={{ width: `${(tokens / total) * 100}%` }}
          />
        ))}
      </div>
      <ol aria-label="Messages of the request" className="grid gap-x-6 sm:grid-cols-2 xl:grid-cols-3">
        {messages.slice(0, mostListed).map(({ index, ordinal, isWritten, state, tokens }) => (
          <li key={index} className="flex items-center gap-2 text-xs">
            <span aria-hidden className={clsx('size-2 rounded-full', tones[state])} />
            <span className="font-mono">
              {ordinal === null ? (isWritten ? 'summary' : 'added') : `m${ordinal}`}
            </span>
            <span className="text-ink-soft">{stateWords[state]}</span>
            <span className="ms-auto text-ink-faint tabular-nums">{formatTokens(tokens, true)}</span>
          </li>
        ))}
      </ol>
      {messages.length > mostListed && (
        <p className="text-xs text-ink-soft">
          and {formatCount(messages.length - mostListed)} more, up to the end of the request
        </p>
      )}
    </>
  );
});
