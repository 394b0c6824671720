import { TakeOver } from './take-over.ts';
import type { AgentSetup } from '../options/agent-options.ts';

/** What a watch needs of a session that is open here. */
interface WatchedSession {
  readonly isRunning: boolean;
  onNews(): void;
  goOn(): Promise<unknown>;
}

interface Watched {
  readonly hubs: NewsReader;
  readonly sessions: ReadonlyMap<string, WatchedSession>;
  readonly sessionOf: (sessionId: string) => WatchedSession;
}

/** The watches of one agent; they end with it. */
export class Watches implements AsyncDisposable {
  readonly #setup: AgentSetup;
  readonly #watched: Watched;
  readonly #open = new Set<AsyncDisposable>();

  constructor(setup: AgentSetup, watched: Watched) {
    this.#setup = setup;
    this.#watched = watched;
  }

  begin(options: WatchOptions): AsyncDisposable {
    const { hubs, sessions, sessionOf } = this.#watched;
    const takeOver = new TakeOver(this.#setup.store, async (sessionId) => {
      const session = sessionOf(sessionId);
      return !session.isRunning && (await session.goOn()) !== undefined;
    });
    const onNews = (sessionId: string, lastEventSeq?: number): void => {
      sessions.get(sessionId)?.onNews();
      hubs.onNews(sessionId, lastEventSeq);
    };
    const reader: NewsReader = { onNews, onLooked: hubs.onLooked };
    const watch = watchStore(this.#setup, { takeOver, reader }, options);
    this.#open.add(watch);
    return {
      [Symbol.asyncDispose]: async () => {
        this.#open.delete(watch);
        await watch[Symbol.asyncDispose]();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open].map((watch) => watch[Symbol.asyncDispose]()));
  }
}

/** Who is told what while a store is watched. */
export interface WatchOptions {
  /** Told of sessions whose process has died or stopped, and that this one goes on with. */
  readonly onTaken?: (sessionIds: readonly string[]) => void;
  /** Told when the store could not be looked at; it is looked at again. */
  readonly onFault?: (error: unknown) => void;
}

/** What hears of news. */
export interface NewsReader {
  /** Another process may have stored something there. */
  readonly onNews: (sessionId: string, lastEventSeq?: number) => void;
  /** The store was looked at, at that time by its clock. */
  readonly onLooked: (asOfMs: number) => void;
}

const tickMs = 1_000;
/** What is stored elsewhere comes with the time at which that began. */
const overlapMs = 10_000;

/**
 * Looks at the store once a second, and when it says that another process has stored something: for events of others,
 * and for sessions that nobody works on any more. Ends when it is disposed of, or the agent stops.
 */
function watchStore(
  { store, timer, stop }: AgentSetup,
  { takeOver, reader }: { readonly takeOver: TakeOver; readonly reader: NewsReader },
  { onTaken, onFault }: WatchOptions,
): AsyncDisposable {
  const closing = new AbortController();
  const ended = AbortSignal.any([closing.signal, stop.wanted]);
  let wake = new AbortController();
  const news = store.journal.onNews((sessionId) => {
    if (sessionId !== undefined) reader.onNews(sessionId);
    // Who holds leases has died, or nobody listened for a while.
    else wake.abort();
  });
  let sinceMs: number | undefined;
  const look = async (): Promise<void> => {
    const { asOfMs, sessions } = await store.journal.changed(sinceMs);
    reader.onLooked(asOfMs);
    for (const { sessionId, lastEventSeq } of sessions) reader.onNews(sessionId, lastEventSeq);
    sinceMs = asOfMs - overlapMs;
    if (ended.aborted) return;
    const taken = await takeOver.look();
    if (taken.length > 0) onTaken?.(taken);
  };
  const watching = (async () => {
    while (!ended.aborted) {
      await look().catch((error: unknown) => onFault?.(error));
      await timer.wait(tickMs, AbortSignal.any([ended, wake.signal]));
      if (wake.signal.aborted) wake = new AbortController();
    }
    news[Symbol.dispose]();
  })();
  return {
    async [Symbol.asyncDispose]() {
      closing.abort();
      await watching;
    },
  };
}
