import { failureOf } from '../loadable.ts';
import { applyEvent } from './apply-event.ts';
import { lastOutcome, readEndedRuns } from './ended-runs.ts';
import { freshState } from './state.ts';
import { forgetUnsent, keepUnsent, unsentMessages } from './unsent.ts';
import { watchable } from '../watchable.ts';
import { withPage } from './history.ts';
import { endAround, firstOf, isShown, joinedRun, lastOf, withNewer, withOlder } from './far-messages.ts';
import type { Client, HistoryMessage, Page, UserContent } from '@throughline/client';
import type { ConversationState, FarMessages, LoadDirection, SentMessage, Stale } from './state.ts';
import type { Failure } from '../loadable.ts';
import type { Watched } from '../watchable.ts';

export type OpenConversation =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly failure: Failure }
  | { readonly state: 'ready'; readonly value: ConversationState };

/** One session as the page shows it, kept up to date for as long as it is open. */
export interface LiveConversation {
  readonly watched: Watched<OpenConversation>;
  readonly loadOlder: () => Promise<void>;
  /** Loads what stands behind the messages that are shown, where those are far from the newest. */
  readonly loadNewer: () => Promise<void>;
  /** Shows the message with this number and what is around it, in one step wherever it is. */
  readonly goTo: (place: number) => Promise<void>;
  readonly toNewest: () => void;
  /**
   * Shows it at once and sends it. Where the server does not take it, it is shown with the reason, or, where `takesBack`
   * says so, given back: the answer is the reason then, else `null`. Sent again with the same id it is one message.
   */
  readonly send: (
    content: UserContent,
    messageId?: string,
    takesBack?: (failure: Failure) => boolean,
  ) => Promise<Failure | null>;
  readonly dropSent: (messageId: string) => void;
  readonly dismissTrouble: () => void;
  /** Fetches again what an action of this page has changed. */
  readonly refresh: (...stale: readonly Stale[]) => void;
  readonly close: () => void;
}

const pageSize = 40;
const olderPageSize = 200;
/** So many of the pages that were missed are fetched, newest first. */
const mostMissedPages = 20;
const refreshMs = 60;

/** Opens a session and follows it until it is closed. */
export function openConversation(client: Client, id: string): LiveConversation {
  const conversation = new FollowedConversation(client, id);
  conversation.begin();
  return conversation;
}

class FollowedConversation implements LiveConversation {
  readonly #client: Client;
  readonly #id: string;
  readonly #watched = watchable<OpenConversation>({ state: 'loading' });
  readonly #stop = new AbortController();
  readonly #stale = new Set<Stale>();
  readonly #readers: StaleReaders;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** No two refreshes at the same time: an older answer would overwrite a newer one. */
  #refreshing = Promise.resolve();
  /** Where the next older page begins; `undefined` where there is none. */
  #older: string | undefined;

  constructor(client: Client, id: string) {
    this.#client = client;
    this.#id = id;
    this.#readers = staleReaders({ client, id, signal: this.#stop.signal }, this.#change);
  }

  get watched(): Watched<OpenConversation> {
    return this.#watched;
  }

  begin(): void {
    this.#follow().catch((error: unknown) => {
      if (!this.#stop.signal.aborted) this.#watched.set({ state: 'failed', failure: failureOf(error) });
    });
  }

  readonly loadOlder = (): Promise<void> =>
    this.#load('older', this.loadOlder, async ({ far, runId }) => {
      const cursor = far ? far.next : this.#older;
      if (cursor === null || cursor === undefined) return;
      const page = await this.#client.listMessages({ id: this.#id, cursor, limit: olderPageSize });
      this.#change((state) => {
        if (state.runId !== runId) return {};
        if (state.far) return { far: withOlder(state.far, page) };
        this.#older = page.next ?? undefined;
        return { messages: withOlder({ messages: state.messages, next: null }, page).messages };
      });
    });

  readonly goTo = (place: number): Promise<void> => {
    const again = (): Promise<void> => this.goTo(place);
    return this.#load('older', again, async (before) => {
      if (isShown(place, before)) return;
      if (place >= firstOf(before.messages)) return this.toNewest();
      const cursor = String(endAround(place, before));
      const { items, next } = await this.#client.listMessages({ id: this.#id, cursor, limit: olderPageSize });
      this.#change((state) => {
        const to = this.#placed({ messages: items, next }, state);
        const isPutInFront = to.far === null && state.far === null;
        return isPutInFront ? to : { ...to, ...otherRun(state) };
      });
    });
  };

  readonly loadNewer = (): Promise<void> =>
    this.#load('newer', this.loadNewer, async ({ far, messages, runId }) => {
      if (!far) return;
      const from = lastOf(far.messages) + 1;
      const end = Math.min(from + olderPageSize, firstOf(messages));
      const page = await this.#client.listMessages({ id: this.#id, cursor: String(end), limit: end - from });
      this.#change((state) =>
        state.far && state.runId === runId ? this.#placed(withNewer(state.far, page), state) : {},
      );
    });

  readonly toNewest = (): void =>
    this.#change((state) => (state.far ? { far: null, ...otherRun(state) } : {}));

  /** Messages that were fetched, as far ones, or as part of those up to the newest where they reach them. */
  #placed(far: FarMessages, { messages }: ConversationState): Pick<ConversationState, 'far' | 'messages'> {
    const joined = joinedRun(far, messages);
    if (!joined) return { far, messages };
    this.#older = far.next ?? undefined;
    return { far: null, messages: joined };
  }

  /** One at a time in each direction: what is fetched goes beside what is there when it was asked for. */
  async #load(
    direction: LoadDirection,
    retry: () => Promise<void>,
    read: (state: ConversationState) => Promise<void> | void,
  ): Promise<void> {
    const now = this.#watched.get();
    if (now.state !== 'ready' || now.value.loads[direction].isLoading) return;
    const put = (to: Partial<ConversationState['loads'][LoadDirection]>): void =>
      this.#change(({ loads }) => ({ loads: { ...loads, [direction]: { ...loads[direction], ...to } } }));
    put({ isLoading: true, failure: null });
    try {
      await read(now.value);
    } catch (error) {
      put({ failure: { ...failureOf(error), retry } });
    } finally {
      put({ isLoading: false });
      this.#change(() => ({ hasOlder: this.#older !== undefined }));
    }
  }

  readonly send = async (
    content: UserContent,
    messageId = newMessageId(),
    takesBack: (failure: Failure) => boolean = () => false,
  ): Promise<Failure | null> => {
    keepUnsent(this.#id, messageId, content);
    const sending = { messageId, content, state: 'sending', detail: '' } as const;
    this.#change(({ sent, activity, askedId }) => ({
      sent: [...without(sent, messageId), sending],
      askedId: activity.type === 'idle' ? messageId : askedId,
    }));
    try {
      await this.#client.sendMessage({ sessionId: this.#id, messageId, content });
      forgetUnsent(this.#id, messageId);
      this.refresh('queue', 'history');
      return null;
    } catch (error) {
      const failure = failureOf(error);
      if (takesBack(failure)) {
        this.dropSent(messageId);
        return failure;
      }
      const failed = { ...sending, state: 'failed', detail: sentenceOf(failure) } as const;
      this.#change(({ sent }) => ({
        sent: sent.map((one) => (one.messageId === messageId ? failed : one)),
      }));
      return null;
    }
  };

  readonly dropSent = (messageId: string): void => {
    forgetUnsent(this.#id, messageId);
    this.#change(({ sent }) => ({ sent: without(sent, messageId) }));
  };

  readonly dismissTrouble = (): void => this.#change(() => ({ trouble: null }));

  readonly refresh = (...names: readonly Stale[]): void => {
    for (const name of names) this.#stale.add(name);
    if (this.#stale.size > 0) this.#timer ??= setTimeout(this.#refreshNow, refreshMs);
  };

  readonly close = (): void => {
    clearTimeout(this.#timer);
    this.#stop.abort();
  };

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const session = await this.#client.getSession({ id: this.#id }, { signal });
    const [page, endedRuns] = await Promise.all([
      this.#client.listMessages({ id: this.#id, limit: pageSize }, { signal }),
      readEndedRuns(this.#client, this.#id, signal),
    ]);
    this.#older = page.next ?? undefined;
    const sent = await this.#unsent(page.items);
    const known = { messages: page.items, hasOlder: this.#older !== undefined, sent, endedRuns };
    const fresh = { ...freshState(session), ...known };
    this.#watched.set({ state: 'ready', value: { ...fresh, ...lastOutcome(fresh) } });
    this.refresh('queue', 'approvals', 'compactions', 'usage', 'pins');
    const after = session.openStepAfterSeq ?? session.lastEventSeq;
    for await (const event of this.#client.events(this.#id, { after, signal })) {
      const now = this.#watched.get();
      if (now.state !== 'ready') return;
      const applied = applyEvent(now.value, event);
      this.#watched.set({ state: 'ready', value: applied.state });
      this.refresh(...applied.stale);
    }
    if (!signal.aborted) this.#change(() => ({ isDeleted: true }));
  }

  /** What this tab sent before it was loaded again, and the server does not have. */
  async #unsent(messages: readonly HistoryMessage[]): Promise<readonly SentMessage[]> {
    const all = unsentMessages(this.#id);
    if (all.length === 0) return all;
    const { items } = await this.#client.listQueue({ sessionId: this.#id });
    const arrived = new Set([...messages, ...items].map(({ id }) => id));
    for (const { messageId } of all) if (arrived.has(messageId)) forgetUnsent(this.#id, messageId);
    return all.filter(({ messageId }) => !arrived.has(messageId));
  }

  readonly #change = (to: (state: ConversationState) => Partial<ConversationState>): void => {
    const now = this.#watched.get();
    if (now.state === 'ready')
      this.#watched.set({ state: 'ready', value: { ...now.value, ...to(now.value) } });
  };

  readonly #refreshNow = (): void => {
    this.#timer = undefined;
    const wanted = [...this.#stale];
    this.#stale.clear();
    this.#refreshing = this.#refreshing.then(async () => {
      for (const name of wanted) {
        const read = name === 'history' ? this.#readNewest : this.#readers[name];
        // What could not be fetched is fetched after the next event; a lost connection is told elsewhere.
        await read().catch(() => this.#stale.add(name));
      }
    });
  };

  /** Also those between what is known and the newest page, so that whoever reads further up keeps his place. */
  async #newestPages(): Promise<Page<HistoryMessage>> {
    const { signal } = this.#stop;
    const now = this.#watched.get();
    const known = now.state === 'ready' ? now.value.messages.at(-1)?.ordinal : undefined;
    let page = await this.#client.listMessages({ id: this.#id, limit: pageSize }, { signal });
    for (let round = 0; round < mostMissedPages; round += 1) {
      const cursor = isApart(known, page) ? page.next : null;
      if (cursor === null) return page;
      const between = { id: this.#id, cursor, limit: olderPageSize };
      const { items, next } = await this.#client.listMessages(between, { signal });
      page = { items: [...items, ...page.items], next };
    }
    return page;
  }

  readonly #readNewest = async (): Promise<void> => {
    const { items, next } = await this.#newestPages();
    this.#change((state) => {
      const { messages, isJoined } = withPage(state.messages, items);
      if (!isJoined) this.#older = next ?? undefined;
      const ids = new Set(items.map((message) => message.id));
      const sent = state.sent.filter(({ messageId }) => !ids.has(messageId));
      return { messages, hasOlder: this.#older !== undefined, sent };
    });
  };
}

/** Where other messages are shown: what could not be loaded beside the former ones is no longer missed. */
function otherRun({ runId, loads }: ConversationState): Pick<ConversationState, 'runId' | 'loads'> {
  const { older, newer } = loads;
  return {
    runId: runId + 1,
    loads: { older: { ...older, failure: null }, newer: { ...newer, failure: null } },
  };
}

/** There are messages between the last that is known and the first of a page. */
function isApart(known: number | undefined, { items }: Page<HistoryMessage>): boolean {
  return known !== undefined && (items[0]?.ordinal ?? 0) > known + 1;
}

function without(sent: readonly SentMessage[], messageId: string): readonly SentMessage[] {
  return sent.filter((one) => one.messageId !== messageId);
}

interface Read {
  readonly client: Client;
  readonly id: string;
  readonly signal: AbortSignal;
}

type Change = (to: (state: ConversationState) => Partial<ConversationState>) => void;

type StaleReaders = Readonly<Record<Exclude<Stale, 'history'>, () => Promise<void>>>;

/** How each thing is fetched again, but for the history, which is known in part. */
function staleReaders({ client, id, signal }: Read, change: Change): StaleReaders {
  const put = (to: Partial<ConversationState>): void => change(() => to);
  const around = { signal };
  return {
    async queue() {
      const { items } = await client.listQueue({ sessionId: id }, around);
      const ids = new Set(items.map((item) => item.id));
      change(({ sent }) => ({ queue: items, sent: sent.filter(({ messageId }) => !ids.has(messageId)) }));
    },
    async compactions() {
      const { items } = await client.listCompactions({ id }, around);
      put({ compactions: items });
    },
    approvals: async () => put({ approvals: (await client.listApprovals({ id }, around)).items }),
    session: async () => put({ session: await client.getSession({ id }, around) }),
    usage: async () => put({ usage: await client.getContext({ id }, around) }),
    pins: async () => put({ pins: (await client.listPins({ id }, around)).pins }),
  };
}

/** `crypto.randomUUID` is there only on pages of this machine and on those behind TLS. */
function newMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Why it was not sent, behind a colon. */
function sentenceOf({ code, detail }: Failure): string {
  return code === 'unreachable'
    ? 'the server cannot be reached. Check that `throughline serve` still runs, then try again.'
    : detail;
}
