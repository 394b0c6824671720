import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { loadableOf } from '../loadable.ts';
import { usePageData } from '../page-data.tsx';
import type { ContextItems, ContextUsage } from '@throughline/client';
import type { Loadable } from '../loadable.ts';

/** What the next request is made of, asked for again when it has another size. */
export function useContextItems(
  sessionId: string,
  usage: ContextUsage | null,
  limit: number,
): Loadable<ContextItems> {
  const { client } = usePageData();
  const { data, error } = useQuery({
    queryKey: ['context-items', sessionId, limit, usage?.currentTokens ?? null],
    queryFn: ({ signal }) => client.listContextItems({ id: sessionId, limit }, { signal }),
    placeholderData: keepPreviousData,
  });
  return loadableOf({ data, error });
}
