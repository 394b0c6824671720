import { createClient, ProblemError } from '@throughline/client';
import { createContext, useContext, useSyncExternalStore } from 'react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { serverUrl, storedToken } from './access.ts';
import { watchable } from './watchable.ts';
import type { Client, MissedEvents, SessionEvent } from '@throughline/client';
import type { ConnectionState } from './connection.ts';
import type { Watchable } from './watchable.ts';
import type { ReactNode } from 'react';

/** All that the page fetches with, made once. */
interface PageData {
  readonly client: Client;
  readonly queries: QueryClient;
  readonly connection: Watchable<ConnectionState>;
  /** Told of every event of every session, as long as the page is open. */
  readonly onEvent: (listener: EventListener) => () => void;
  /** Ends the stream of events. */
  readonly close: () => void;
}

type PageEvent = SessionEvent | MissedEvents;
type EventListener = (event: PageEvent) => void;

const refused: ReadonlySet<string> = new Set(['unauthorized', 'forbidden', 'not-found']);

/** Follows the events of all sessions from now on. */
export function openPageData(): PageData {
  const connection = watchable<ConnectionState>({ state: 'connecting' });
  const token = storedToken();
  const client = createClient({
    baseUrl: serverUrl(),
    ...(token !== undefined && { token }),
    reconnection: {
      longestWaitMs: 5_000,
      onChange: (state) => connection.set(state === 'connected' ? { state } : { state, sinceMs: Date.now() }),
    },
  });
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < 2 && !isRefused(error),
      },
    },
  });
  const listeners = new Set<EventListener>();
  const stop = new AbortController();
  const follow = async (): Promise<void> => {
    for await (const event of client.events({ signal: stop.signal })) {
      for (const listener of listeners) listener(event);
    }
  };
  follow().catch((error: unknown) => {
    if (isRefused(error)) connection.set({ state: 'locked' });
  });
  return {
    client,
    queries,
    connection,
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => stop.abort(),
  };
}

function isRefused(error: unknown): boolean {
  return error instanceof ProblemError && refused.has(error.problem.code);
}

const Data = createContext<PageData | null>(null);

export function PageDataProvider({
  data,
  children,
}: {
  readonly data: PageData;
  readonly children: ReactNode;
}) {
  return (
    <Data.Provider value={data}>
      <QueryClientProvider client={data.queries}>{children}</QueryClientProvider>
    </Data.Provider>
  );
}

/** For hooks in `data/` only: views ask those. */
export function usePageData(): PageData {
  const data = useContext(Data);
  if (!data) throw new Error('There is no PageDataProvider above this component.');
  return data;
}

export function useConnection(): ConnectionState {
  const { connection } = usePageData();
  return useSyncExternalStore(connection.subscribe, connection.get);
}
