import { loadableOf } from '../loadable.ts';
import { nothingSpent, spentOf, together } from './spent.ts';
import { usePageData } from '../page-data.tsx';
import { useQuery } from '@tanstack/react-query';
import { useTraceRefresh } from './trace.ts';
import type { Loadable } from '../loadable.ts';
import type { Spent } from './spent.ts';

/** Sums as far as the trace was read; its last page grows, and is read again. */
interface SpentSoFar {
  readonly all: Spent;
  readonly closed: Spent;
  /** Where the last page begins. */
  readonly after: number;
}

const stepsPerPage = 200;
const beginning: SpentSoFar = { all: nothingSpent, closed: nothingSpent, after: 0 };

/** What all steps of a session have taken; it follows what happens now. Nothing is asked for unless it is wanted. */
export function useSpent(sessionId: string, isWanted = true): Loadable<Spent> {
  const { client, queries } = usePageData();
  const queryKey = ['spent', sessionId];
  const { data, error } = useQuery({
    queryKey,
    enabled: isWanted,
    queryFn: async ({ signal }) => {
      let { closed, after } = queries.getQueryData<SpentSoFar>(queryKey) ?? beginning;
      for (;;) {
        const { runs, next } = await client.getTrace(
          { id: sessionId, after, limit: stepsPerPage },
          { signal },
        );
        const all = together(closed, spentOf(runs));
        if (next === null) return { all, closed, after };
        closed = all;
        after = next;
      }
    },
  });
  useTraceRefresh('spent', sessionId);
  return loadableOf({ data: data?.all, error });
}
