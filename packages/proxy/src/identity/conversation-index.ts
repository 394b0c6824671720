import { emptyState } from '@throughline/core';
import { fingerprintEntry, isSameEntry } from '@throughline/core/internal';
import { answeredEnd } from './history-chain.ts';
import type { ContextState } from '@throughline/core';
import type { Entry } from '@throughline/core/codec';
import type { Snapshot } from '@throughline/adapters/following';
import type { Usage } from '../state/stand.ts';
import type { ClientRequest } from '../wire/client-request.ts';

/** The state that a pass left, and the history it counts for, and all that go on from that. */
export interface Pass {
  /** Its messages, told by their number: those of its request up to the last answer, or all of them. */
  readonly messages: number;
  readonly state: ContextState;
  /** Of the stored one; 0 where it is in memory only. */
  readonly version: number;
  /** Longer histories had gone out without it: none goes on behind it. */
  readonly isLate: boolean;
}

/** What has happened in a conversation since it was written down last. */
interface ConversationNews {
  readonly compactions: number;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
}

/** A conversation that the proxy follows from request to request. */
export interface Conversation {
  id: string;
  /** Who may be answered from it: the route and the caller's credential. */
  readonly scope: string;
  /** The conversation that it parted from. */
  parentId?: string;
  snapshot: Snapshot;
  /** In the order of their histories, which each contain the one before. */
  passes: readonly Pass[];
  /** Lengths of the histories that were asked. */
  asked: ReadonlySet<number>;
  /** Names of its histories, where they are stored. */
  chain: readonly string[];
  /** So many of these names were looked up in the store. */
  lookedUp: number;
  /** Whether the store was asked which conversation it is. */
  isRecognised: boolean;
  /** Since when it is asked, where the store does not have it. */
  unstoredSinceMs?: number | undefined;
  /** What is not yet written down. */
  news: ConversationNews;
  /** What the upstream counted last. */
  usage?: Usage;
  /** Name of the stand that was written down, or taken over, last. */
  stoodAt?: string;
  /** Resolves when nobody works on it. */
  idle: Promise<unknown>;
}

/** What is known of the messages of a request. */
interface Relation {
  /** `same`: they go on where it stopped. `fork`: they begin like it, and part. */
  readonly type: 'same' | 'fork';
  readonly conversation: Conversation;
  /** So many messages they have in common. What it has behind them was not answered, where it is the same. */
  readonly shared: number;
}

// What is decoded of a history, in characters of its requests: they cost several bytes each. The one not heard of longest
// goes first; with a store its changes are found there again.
const mostConversations = 1_000;
const mostCharacters = 50_000_000;

/**
 * The conversations of this process, found by their messages. A client resends its whole history: what a request and a
 * conversation have in common at the beginning tells which it is, whatever the client calls it.
 */
export class ConversationIndex {
  /** By scope and first message; inside, the one heard of last at the end. */
  readonly #buckets = new Map<string, Set<Conversation>>();
  /** Over all buckets, the one heard of last at the end. */
  readonly #used = new Map<Conversation, { readonly bucket: string; readonly characters: number }>();
  #characters = 0;

  find(scope: string, request: ClientRequest): Relation | undefined {
    const known = [...(this.#buckets.get(bucketOf(scope, request)) ?? [])];
    const isSame = comparedOnce(request.messages);
    let best: Relation | undefined;
    // Of equals the one heard of last.
    for (const conversation of known.toReversed()) {
      const relation = relationOf(conversation, request.messages.length, isSame);
      if (relation && (!best || isNearer(relation, best))) best = relation;
    }
    return best;
  }

  /** Remembers it as the one heard of last. */
  keep(conversation: Conversation, request: ClientRequest): void {
    this.#forget(conversation);
    const bucket = bucketOf(conversation.scope, request);
    const characters = request.text.length;
    const set = this.#buckets.get(bucket) ?? new Set();
    this.#buckets.set(bucket, set.add(conversation));
    this.#used.set(conversation, { bucket, characters });
    this.#characters += characters;
    while (this.#used.size > mostConversations || this.#characters > mostCharacters) {
      const [oldest] = this.#used.keys();
      if (!oldest || oldest === conversation) return;
      oldest.snapshot.background?.drop();
      this.#forget(oldest);
    }
  }

  #forget(conversation: Conversation): void {
    const use = this.#used.get(conversation);
    if (!use) return;
    this.#used.delete(conversation);
    this.#characters -= use.characters;
    const set = this.#buckets.get(use.bucket);
    set?.delete(conversation);
    if (set?.size === 0) this.#buckets.delete(use.bucket);
  }

  has(conversation: Conversation): boolean {
    return this.#used.has(conversation);
  }

  get size(): number {
    return this.#used.size;
  }

  [Symbol.dispose](): void {
    for (const { snapshot } of this.#used.keys()) snapshot.background?.[Symbol.dispose]();
    this.#used.clear();
    this.#buckets.clear();
  }
}

/**
 * The state for a history that shares its first messages with a conversation: a pass counts for those that go on from the
 * history that it stands on. What else became of that conversation counts for nothing. A change of a message that only
 * that one has finds no place in another.
 */
export function stateAfter({ passes }: Conversation, shared: number): ContextState {
  return passes.findLast(({ messages, isLate }) => messages <= shared && !isLate)?.state ?? emptyState();
}

/**
 * A conversation before the messages behind the first `shared` ones: the request that goes on from it does not have them,
 * or has others in their place.
 */
export function goBack(conversation: Conversation, shared: number): void {
  const { snapshot, passes, asked, chain, lookedUp } = conversation;
  if (shared >= lengthOf(conversation)) return;
  conversation.asked = new Set([...asked].filter((length) => length <= shared));
  conversation.chain = chain.slice(0, shared);
  conversation.passes = passes.filter(({ messages }) => messages <= shared);
  // The last that is known may have been replaced.
  conversation.lookedUp = Math.min(lookedUp, shared, conversation.passes.at(-1)?.messages ?? shared);
  const isKept = conversation.passes.length === passes.length;
  const last = snapshot.transcript.conversation.entries.at(shared - 1);
  const state = isKept ? snapshot.state : stateAfter(conversation, shared);
  conversation.snapshot = {
    ...snapshot,
    state: truncatedUpTo(state, shared, last ? fingerprintEntry(last) : ''),
  };
}

/**
 * The state for a history that shares no more messages than these with the one whose results were truncated last: what
 * they share was truncated before it was sent, and is not looked at again under other limits.
 *
 * @param last fingerprint of the last of them
 */
export function truncatedUpTo(state: ContextState, end: number, last: string): ContextState {
  return state.truncation.end <= end ? state : { ...state, truncation: { end, last } };
}

/** How many messages a request and a conversation have in common. */
export function sharedWith(conversation: Conversation, { messages }: ClientRequest): number {
  return sharedOf(conversation, messages.length, comparedOnce(messages));
}

function lengthOf({ snapshot }: Conversation): number {
  return snapshot.transcript.conversation.entries.length;
}

/** Going on counts more than any common beginning, and all that a conversation has more than a part of it. */
function isNearer(one: Relation, other: Relation): boolean {
  if (one.type !== other.type) return one.type === 'same';
  if (one.shared !== other.shared) return one.shared > other.shared;
  return one.type === 'same' && lengthOf(one.conversation) < lengthOf(other.conversation);
}

function bucketOf(scope: string, { dialect, messages }: ClientRequest): string {
  return `${scope} ${dialect.name} ${fingerprintEntry(dialect.codec.decode(messages[0], 0))}`;
}

type IsSame = (index: number, entry: Entry) => boolean;

/**
 * Conversations that parted from each other share what is decoded of their beginning: what is known for one of them is
 * known for all. 3 000 requests that begin alike took 24 s without, and take 14 s (`bench:proxy -- --only memory`).
 */
function comparedOnce(messages: readonly unknown[]): IsSame {
  const compared = new Map<Entry, boolean>();
  return (index, entry) => {
    const known = compared.get(entry);
    if (known !== undefined) return known;
    const isSame = isSameEntry(messages[index], entry);
    compared.set(entry, isSame);
    return isSame;
  };
}

function relationOf(conversation: Conversation, count: number, isSame: IsSame): Relation | undefined {
  const shared = sharedOf(conversation, count, isSame);
  if (shared === 0) return undefined;
  const type = shared === lengthOf(conversation) || goesOn(conversation, shared, count) ? 'same' : 'fork';
  return { type, conversation, shared };
}

/** It has more messages, and lacks only what was not answered: what its client said last was not meant to stay. */
function goesOn({ snapshot, passes }: Conversation, shared: number, count: number): boolean {
  const { entries } = snapshot.transcript.conversation;
  const answered = answeredEnd(entries.length, (index) => entries.at(index)?.role === 'assistant');
  return count > entries.length && shared >= answered && passes.every(({ messages }) => messages <= shared);
}

function sharedOf({ snapshot }: Conversation, count: number, isSame: IsSame): number {
  const { entries } = snapshot.transcript.conversation;
  const length = Math.min(entries.length, count);
  let shared = 0;
  while (shared < length) {
    const entry = entries.at(shared);
    if (!entry || !isSame(shared, entry)) break;
    shared += 1;
  }
  return shared;
}

/** Does something with a conversation when nobody else does. */
export async function inTurn<Done>(conversation: Conversation, work: () => Promise<Done>): Promise<Done> {
  const turn = conversation.idle.then(work);
  // Who comes after it waits, whatever came of it.
  conversation.idle = turn.catch(() => undefined);
  return await turn;
}
