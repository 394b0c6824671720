import { EventHub, Listeners } from '../session/event-hub.ts';
import type { SessionStore } from '@throughline/ports';
import type { AgentEvent } from '@throughline/protocol/types';
import type { NewsReader } from './watches.ts';

/** Where the events of all sessions of an agent are told: one hub for each session, of this process or of another. */
export class AgentHubs {
  readonly #store: SessionStore;
  readonly #hubs = new Map<string, EventHub>();
  readonly #listeners = new Listeners<[sessionId: string, event: AgentEvent]>();
  readonly #ownListeners = new Listeners<[sessionId: string, event: AgentEvent]>();
  /** When the store was looked at last, by its clock; `undefined` while nobody watches it. */
  #asOfMs: number | undefined;
  /** Events of sessions that nobody opened here are told from then on. */
  #sinceMs: number | undefined;

  constructor(store: SessionStore) {
    this.#store = store;
  }

  of(sessionId: string): EventHub {
    const known = this.#hubs.get(sessionId);
    if (known) return known;
    const hub = this.#made(sessionId);
    if (this.#asOfMs !== undefined) this.#follow(sessionId, hub);
    return hub;
  }

  /** Where others are listened to the hub knows what was told. */
  forget(sessionId: string): void {
    if (this.#asOfMs === undefined) this.#hubs.delete(sessionId);
  }

  subscribe(
    listener: (sessionId: string, event: AgentEvent) => void,
    { from = 'everywhere' }: { readonly from?: 'here' | 'everywhere' } = {},
  ): Disposable {
    if (from === 'here') return this.#ownListeners.add(listener);
    if (this.#listeners.isEmpty) this.#sinceMs = this.#asOfMs;
    return this.#listeners.add(listener);
  }

  readonly onLooked: NewsReader['onLooked'] = (asOfMs) => {
    const isFirst = this.#asOfMs === undefined;
    this.#asOfMs = asOfMs;
    this.#sinceMs ??= asOfMs;
    if (isFirst) for (const [sessionId, hub] of this.#hubs) this.#follow(sessionId, hub);
  };

  readonly onNews: NewsReader['onNews'] = (sessionId, lastEventSeq) => {
    this.#hubOfAny(sessionId)?.onNews(lastEventSeq);
  };

  #hubOfAny(sessionId: string): EventHub | undefined {
    const known = this.#hubs.get(sessionId);
    const sinceMs = this.#sinceMs;
    if (known || sinceMs === undefined || this.#listeners.isEmpty) return known;
    const hub = this.#made(sessionId);
    hub.follow(() => this.#store.journal.seqBefore(sessionId, sinceMs));
    return hub;
  }

  #made(sessionId: string): EventHub {
    const hub = new EventHub(this.#store.journal, sessionId);
    hub.subscribe((event) => this.#listeners.tell(sessionId, event));
    hub.subscribeToOwn((event) => this.#ownListeners.tell(sessionId, event));
    this.#hubs.set(sessionId, hub);
    return hub;
  }

  #follow(sessionId: string, hub: EventHub): void {
    hub.follow(async () => (await this.#store.sessions.read(sessionId)).lastEventSeq);
  }
}
