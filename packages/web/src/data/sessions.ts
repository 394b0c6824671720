import { contentAnew } from './attached.ts';
import { loadableOf } from './loadable.ts';
import { useEffect, useMemo } from 'react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { usePageData } from './page-data.tsx';
import type { Client, FoundSession, Session } from '@throughline/client';
import type { Attached } from './attached.ts';
import type { Loadable } from './loadable.ts';

export type { FoundSession, Session };

interface SessionsList {
  readonly sessions: readonly Session[];
  readonly hasMore: boolean;
  readonly loadMore: () => void;
}

const sessionsKey = ['sessions'] as const;

/** Events after which the list of sessions looks different. */
const changesList: ReadonlySet<string> = new Set([
  'run:start',
  'run:end',
  'session:updated',
  'context:compressed',
  'compaction:start',
  'compaction:cancelled',
  'compaction:error',
  'compaction:undone',
  'compaction:redone',
  'approval:requested',
  'approval:resolved',
  'stream:missed',
]);

/** Sessions, the one touched last first; it follows what happens in them, also in other tabs. */
export function useSessions(): Loadable<SessionsList> {
  const { client } = usePageData();
  const query = useInfiniteQuery({
    queryKey: sessionsKey,
    queryFn: ({ pageParam, signal }) =>
      client.listSessions({ limit: 50, ...(pageParam !== '' && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  useListRefresh();
  const { data, error, hasNextPage, fetchNextPage } = query;
  const value = data && {
    sessions: data.pages.flatMap(({ items }) => items),
    hasMore: hasNextPage,
    loadMore: () => void fetchNextPage(),
  };
  return loadableOf({ data: value, error });
}

const refreshMs = 300;

function useListRefresh(): void {
  const { onEvent, queries } = usePageData();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (): void => {
      timer = undefined;
      void queries.invalidateQueries({ queryKey: sessionsKey });
    };
    const end = onEvent(({ type }) => {
      if (changesList.has(type)) timer ??= setTimeout(refresh, refreshMs);
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [onEvent, queries]);
}

/** Where a text stands in all sessions; nothing is asked for fewer than two characters. */
export function useSearch(text: string): Loadable<readonly FoundSession[]> {
  const { client } = usePageData();
  const query = text.trim();
  const { data, error } = useQuery({
    queryKey: ['search', query],
    queryFn: async ({ signal }) => (await client.searchSessions({ query, limit: 20 }, { signal })).items,
    enabled: query.length > 1,
    staleTime: 5_000,
  });
  return loadableOf({ data: query.length > 1 ? data : [], error });
}

/** A message as it is sent again. */
interface MessageAnew {
  readonly text: string;
  readonly attached: readonly Attached[];
}

interface SessionActions {
  /** Sends the first message of a new session; its id. */
  readonly begin: (text: string) => Promise<string>;
  readonly create: () => Promise<Session>;
  readonly rename: (id: string, title: string) => Promise<unknown>;
  readonly remove: (id: string) => Promise<unknown>;
  readonly fork: (id: string, at?: number) => Promise<Session>;
  /** A user message in other words, in a session of its own that has what was before it. */
  readonly branch: (id: string, at: number, message: MessageAnew) => Promise<Session>;
  readonly pin: (id: string, ordinal: number, isPinned: boolean) => Promise<unknown>;
  readonly cancel: (id: string) => Promise<unknown>;
  readonly resume: (id: string) => Promise<unknown>;
  /** The whole session as JSON lines. */
  readonly exportLines: (id: string) => Promise<Blob>;
  readonly importFile: (file: File) => Promise<Session>;
}

export function useSessionActions(): SessionActions {
  const { client, queries } = usePageData();
  return useMemo(() => {
    const act = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
      try {
        return await call();
      } finally {
        void queries.invalidateQueries({ queryKey: sessionsKey });
      }
    };
    return actionsOf(client, act);
  }, [client, queries]);
}

type Act = <Answer>(call: () => Promise<Answer>) => Promise<Answer>;

function actionsOf(client: Client, act: Act): SessionActions {
  return {
    begin: (content) => act(async () => (await client.sendMessage({ content })).sessionId),
    create: () => act(() => client.createSession({})),
    rename: (id, title) => act(() => client.renameSession({ id, title })),
    remove: (id) => act(() => client.deleteSession({ id })),
    fork: (id, at) => act(() => client.forkSession({ id, ...(at !== undefined && { at }) })),
    branch: (id, at, message) =>
      act(async () => {
        const content = await contentAnew(client, id, message);
        return (await client.branchSession({ id, at, content })).session;
      }),
    pin: (id, ordinal, isPinned) => (isPinned ? client.pin({ id, ordinal }) : client.unpin({ id, ordinal })),
    cancel: (id) => client.cancelRun({ id }),
    resume: (id) => client.resumeRun({ id }),
    async exportLines(id) {
      const lines: string[] = [];
      for await (const line of client.exportSession({ id })) lines.push(`${line}\n`);
      return new Blob(lines, { type: 'application/x-ndjson' });
    },
    importFile: (file) => act(async () => client.importSession(await file.text())),
  };
}
