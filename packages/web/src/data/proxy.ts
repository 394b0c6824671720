import { loadableOf } from './loadable.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { usePageData } from './page-data.tsx';
import type { Loadable } from './loadable.ts';
import type { ProxyConversation, ProxyRoute } from '@throughline/client';

const refreshMs = 5_000;

/** The proxies that are configured, with what went through them; looked at again every few seconds. */
export function useProxyRoutes(): Loadable<readonly ProxyRoute[]> {
  const { client } = usePageData();
  const { data, error } = useQuery({
    queryKey: ['proxy', 'routes'],
    queryFn: async ({ signal }) => (await client.listProxyRoutes({}, { signal })).items,
    refetchInterval: refreshMs,
  });
  return loadableOf({ data, error });
}

export interface ProxyConversations {
  readonly conversations: readonly ProxyConversation[];
  readonly hasMore: boolean;
  readonly loadMore: () => void;
  /** @throws where the server refuses */
  readonly remove: (id: string) => Promise<void>;
}

const conversationsKey = ['proxy', 'conversations'] as const;

/** Conversations of clients, the one used last first. */
export function useProxyConversations(): Loadable<ProxyConversations> {
  const { client, queries } = usePageData();
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: conversationsKey,
    queryFn: ({ pageParam, signal }) =>
      client.listProxyConversations(
        { limit: 50, ...(pageParam !== '' && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: refreshMs,
  });
  const value = data && {
    conversations: data.pages.flatMap(({ items }) => items),
    hasMore: hasNextPage,
    loadMore: () => void fetchNextPage(),
    async remove(id: string) {
      await client.deleteProxyConversation({ id });
      await queries.invalidateQueries({ queryKey: conversationsKey });
    },
  };
  return loadableOf({ data: value, error });
}
