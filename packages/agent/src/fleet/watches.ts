import { TakeOver } from './take-over.ts';
import { watchStore } from './watch-store.ts';
import type { AgentSetup } from '../options/agent-options.ts';
import type { AgentHubs } from './agent-hubs.ts';
import type { WatchOptions } from './watch-store.ts';

/** What a watch needs of a session that is open here. */
interface WatchedSession {
  readonly isRunning: boolean;
  onNews(): void;
  goOn(): Promise<unknown>;
}

interface Watched {
  readonly hubs: AgentHubs;
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
    const reader = { onNews, onLooked: hubs.onLooked };
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
