import { clsx } from 'clsx';
import { formatTokens } from '../../parts/format.ts';
import { lazy, Suspense } from 'react';
import { Loading } from '../../parts/notice.tsx';
import { Popover } from '../../parts/popups/popover.tsx';
import type { ContextPanelProps } from './context-panel.tsx';
import type { ContextUsage } from '../../data/types.ts';

const load = () => import('./context-panel.tsx');
const ContextPanel = lazy(async () => ({ default: (await load()).ContextPanel }));
/** Where its code cannot be loaded the header does without it; the panel tells the same. */
const SessionCost = lazy(async () => {
  const loaded = await import('./session-spent.tsx').catch(() => undefined);
  return { default: loaded?.SessionCost ?? (() => null) };
});
/** The steps of a longer session are summed when the panel is opened, not for the header alone. */
const mostMessagesSummed = 1_000;
/** What fails here is told when it is opened. */
const loadAhead = () => void load().catch(() => {});

export type ContextMeterProps = Omit<ContextPanelProps, 'usage'>;

/** There is room for it in the header. */
const isWide = (): boolean => matchMedia('(min-width: 80rem)').matches;

const levels: Readonly<Record<ContextUsage['level'], { readonly bar: string; readonly word: string }>> = {
  ok: { bar: 'bg-good', word: '' },
  warning: { bar: 'bg-warn', word: ', nearly full' },
  critical: { bar: 'bg-bad', word: ', full' },
};

/** How full the context is, in the header of a session; a click shows with what, and what can be done. */
export function ContextMeter({ conversation, live }: ContextMeterProps) {
  const { usage, session } = conversation;
  if (!usage) return null;
  const { currentTokens, limit, percentUsed, level, estimated } = usage;
  const percent = Math.round(percentUsed);
  return (
    <Popover
      title="What fills the context"
      onApproach={loadAhead}
      trigger={
        <button
          type="button"
          data-level={level}
          className="ms-auto flex min-h-8 shrink-0 items-center gap-2 rounded-lg px-2 text-xs text-ink-soft tabular-nums hover:bg-ground-strong"
        >
          <span className="h-2 w-16 overflow-hidden max-sm:w-8 rounded-full bg-ground-strong" aria-hidden>
            <span
              className={clsx('block h-full rounded-full', levels[level].bar)}
              style={{ width: `${Math.min(100, percentUsed)}%` }}
            />
          </span>
          <span>
            <span className="sr-only">Context </span>
            {estimated && '≈ '}
            {percent} %
          </span>
          <span className="max-sm:hidden">
            {formatTokens(currentTokens)} / {formatTokens(limit)}
          </span>
          <span className="sr-only"> tokens{levels[level].word}</span>
          {session.messageCount <= mostMessagesSummed && isWide() && (
            <Suspense>
              <SessionCost sessionId={session.id} />
            </Suspense>
          )}
          <span className="sr-only">. Show what fills it</span>
        </button>
      }
    >
      <Suspense fallback={<Loading what="the breakdown" />}>
        <ContextPanel conversation={conversation} live={live} usage={usage} />
      </Suspense>
    </Popover>
  );
}
