import { Arriving, ArrivingWindow } from '../../parts/popups/arriving.tsx';
import { Button } from '../../parts/button.tsx';
import { ContextManagement } from './context-management.tsx';
import { Empty, FailureNotice, Loading } from '../../parts/notice.tsx';
import { formatCount, formatDuration, formatTokens } from '../../parts/format.ts';
import { lazy, useMemo, useState } from 'react';
import { RunRow } from './run-row.tsx';
import { runNumbers } from '../../data/trace/joined-runs.ts';
import { SessionHeader } from '../shell/session-header.tsx';
import { contextPoints, traceSums } from './trace-figures.ts';
import { ToStart } from '../../parts/to-start.tsx';
import { useTrace } from '../../data/trace/trace.ts';
import type { Trace } from '../../data/trace/trace.ts';
import type { TraceRun } from '../../data/types.ts';

const ContextChart = lazy(async () => ({ default: (await import('./context-chart.tsx')).ContextChart }));
const RequestDialog = lazy(async () => ({ default: (await import('./request-dialog.tsx')).RequestDialog }));

/** What happened in a session: its runs, their steps, and what was done to the context. */
export function TracePage({ sessionId }: { readonly sessionId: string }) {
  const trace = useTrace(sessionId);
  return (
    <>
      <SessionHeader sessionId={sessionId} current="trace" />
      <div className="min-h-0 flex-1 overflow-y-auto p-4">
        <div className="mx-auto flex max-w-5xl flex-col gap-6">
          {trace.state === 'loading' && <Loading what="the trace" />}
          {trace.state === 'failed' && <FailureNotice failure={trace.failure} actions={<ToStart />} />}
          {trace.state === 'ready' && <Told trace={trace.value} sessionId={sessionId} />}
        </div>
      </div>
    </>
  );
}

function Told({ trace, sessionId }: { readonly trace: Trace; readonly sessionId: string }) {
  const { runs, hasMore, isLoadingMore, loadMore } = trace;
  const [request, setRequest] = useState<number | null>(null);
  const points = useMemo(() => contextPoints(runs), [runs]);
  const numbers = runNumbers(runs);
  if (runs.length === 0)
    return (
      <Empty title="Nothing has happened yet">Send a message; each step of the agent is told here.</Empty>
    );
  return (
    <>
      <Sums runs={runs} />
      {points.length > 0 && (
        <Arriving instead={<div className="h-80" />}>
          <ContextChart points={points} />
        </Arriving>
      )}
      <ContextManagement runs={runs} />
      <section aria-label="Runs" className="flex flex-col gap-2">
        <h2 className="font-semibold">Runs</h2>
        <ol className="flex flex-col gap-2">
          {runs.map((run, at) => (
            <RunRow
              key={`${run.runId ?? 'none'} ${run.notes[0]?.seq ?? run.steps[0]?.seq ?? at}`}
              run={run}
              number={numbers[at] ?? null}
              isOpenAtFirst={at === runs.length - 1}
              onShowRequest={setRequest}
            />
          ))}
        </ol>
        {hasMore && (
          <Button disabled={isLoadingMore} onClick={loadMore}>
            {isLoadingMore ? 'Loading …' : 'Load later steps'}
          </Button>
        )}
      </section>
      {request !== null && (
        <ArrivingWindow onClose={() => setRequest(null)}>
          <RequestDialog sessionId={sessionId} seq={request} onClose={() => setRequest(null)} />
        </ArrivingWindow>
      )}
    </>
  );
}

function Sums({ runs }: { readonly runs: readonly TraceRun[] }) {
  const sums = traceSums(runs);
  const share = sums.inputTokens === 0 ? 0 : Math.round((sums.cacheReadTokens / sums.inputTokens) * 100);
  const rows = [
    ['Steps', formatCount(sums.steps)],
    ['Calls of tools', formatCount(sums.calls)],
    ['Read by the model', `${formatTokens(sums.inputTokens)} tokens`],
    ['Of it from the cache', `${formatTokens(sums.cacheReadTokens)} (${share} %)`],
    ['Written', `${formatTokens(sums.outputTokens)} tokens`],
    ['Time with the model', formatDuration(sums.durationMs)],
    ['Compactions', formatCount(sums.compactions)],
    ['Failures', formatCount(sums.failures)],
  ] as const;
  return (
    <dl aria-label="Sums" className="grid grid-cols-2 gap-2 sm:grid-cols-4">
      {rows.map(([name, value]) => (
        <div key={name} className="rounded-lg border border-line bg-ground-soft px-3 py-2">
          <dt className="text-xs text-ink-faint">{name}</dt>
          <dd className="font-medium tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
