import { joinedRuns } from './joined-runs.ts';
import { loadableOf } from '../loadable.ts';
import { useEffect } from 'react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { usePageData } from '../page-data.tsx';
import type { StepRequestAnswer, TraceRun } from '@throughline/client';
import type { Loadable } from '../loadable.ts';

export interface Trace {
  /** Oldest first. */
  readonly runs: readonly TraceRun[];
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
}

const stepsPerPage = 200;
/** What is fetched unasked; behind that the user says so. */
const unaskedPages = 10;

/** Events after which there is more to tell. */
const changesTrace: ReadonlySet<string> = new Set([
  'run:start',
  'run:end',
  'step:start',
  'step:end',
  'llm:retry',
  'llm:error',
  'llm:tool-call',
  'llm:tool-result',
  'context:compressed',
  'context:pruned',
  'compaction:error',
  'compaction:cancelled',
  'compaction:undone',
  'compaction:redone',
  'stream:missed',
]);

/** What happened in a session; it follows what happens now. */
export function useTrace(sessionId: string): Loadable<Trace> {
  const { client } = usePageData();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['trace', sessionId],
    queryFn: ({ pageParam, signal }) =>
      client.getTrace({ id: sessionId, after: pageParam, limit: stepsPerPage }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  useTraceRefresh('trace', sessionId);
  const pages = data?.pages.length ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && pages < unaskedPages) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, pages, fetchNextPage]);
  const value = data && {
    runs: joinedRuns(data.pages.flatMap(({ runs }) => runs)),
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: () => void fetchNextPage(),
  };
  return loadableOf({ data: value, error });
}

const refreshMs = 400;

/** What was read of a trace under this name is read again when there is more to tell. */
export function useTraceRefresh(name: 'trace' | 'spent', sessionId: string): void {
  const { onEvent, queries } = usePageData();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (): void => {
      timer = undefined;
      void queries.invalidateQueries({ queryKey: [name, sessionId] });
    };
    const end = onEvent((event) => {
      const isHere = event.type === 'stream:missed' || event.sessionId === sessionId;
      if (isHere && changesTrace.has(event.type)) timer ??= setTimeout(refresh, refreshMs);
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [name, onEvent, queries, sessionId]);
}

/** The request of a step, made anew by the server. */
export function useStepRequest(sessionId: string, seq: number): Loadable<StepRequestAnswer> {
  const { client } = usePageData();
  const { data, error } = useQuery({
    queryKey: ['step-request', sessionId, seq],
    queryFn: ({ signal }) => client.getStepRequest({ id: sessionId, seq }, { signal }),
    gcTime: 60_000,
  });
  return loadableOf({ data, error });
}
