import { emptyState } from '@throughline/core';
import { randomUUID } from 'node:crypto';
import { fingerprintEntry, isSameEntry } from '@throughline/core/internal';
import { answeredEnd, answeredLength, answeredName } from './history-chain.ts';
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
  parentId?: string | undefined;
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
  /** So many requests of it were written down when it was written down, or taken over, here last. */
  requests?: number | undefined;
  /** Since when it is asked, where the store does not have it. */
  unstoredSinceMs?: number | undefined;
  /** What is not yet written down. */
  news: ConversationNews;
  /** What the upstream counted last. */
  usage?: Usage | undefined;
  /** What was made smaller for the last refusal without a word was for nothing. */
  isSizeRefuted?: boolean | undefined;
  /** Resolves when nobody works on it. */
  idle: Promise<unknown>;
}

/** What is known of the messages of a request. */
export interface Relation {
  /** `same`: they go on where it stopped. `fork`: they begin like it, and part. */
  readonly type: 'same' | 'fork';
  readonly conversation: Conversation;
  /** So many messages they have in common. What it has behind them was not answered, where it is the same. */
  readonly shared: number;
  /** It has nothing behind them. */
  readonly isWhole: boolean;
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

  /** The one of this id that was heard of last. */
  withId(id: string): Conversation | undefined {
    return [...this.#used.keys()].findLast((conversation) => conversation.id === id);
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

export const nothingNew: ConversationNews = { compactions: 0 };

interface Opened {
  readonly scope: string;
  /** Of a conversation without a state. */
  readonly opened: Snapshot;
  readonly nowMs: number;
}

/** A conversation that parts from another one, or begins. */
export function partedFrom(relation: Relation | undefined, { scope, opened, nowMs }: Opened): Conversation {
  const begun = {
    id: randomUUID(),
    scope,
    unstoredSinceMs: nowMs,
    news: nothingNew,
    idle: Promise.resolve(),
  };
  if (!relation)
    return {
      ...begun,
      snapshot: opened,
      passes: [],
      asked: new Set(),
      chain: [],
      lookedUp: 0,
      isRecognised: false,
    };
  const { conversation: base, shared } = relation;
  const passes = base.passes.filter(({ messages, isLate }) => messages <= shared && !isLate);
  return {
    ...begun,
    parentId: base.id,
    // What is decoded is shared with the conversation it parts from.
    snapshot: { ...opened, state: stateAfter(base, shared), transcript: base.snapshot.transcript },
    passes,
    asked: new Set([...base.asked].filter((length) => length <= shared)),
    chain: base.chain.slice(0, shared),
    lookedUp: lookedUpTo(base.lookedUp, shared, passes),
    isRecognised: false,
  };
}

/** One that has parted from another and is it for all who look. */
export function goingOnAs(parted: Conversation, base: Conversation): Conversation {
  const { id, isRecognised, requests, unstoredSinceMs } = base;
  return { ...parted, id, parentId: undefined, isRecognised, requests, unstoredSinceMs };
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
  conversation.lookedUp = lookedUpTo(lookedUp, shared, conversation.passes);
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

/**
 * So many names are looked up of a history that shares so many messages with one of which that is known. The last pass may
 * have been replaced; what was taken from the store began with the last one, and nobody has asked for those before it.
 */
function lookedUpTo(lookedUp: number, shared: number, passes: readonly Pass[]): number {
  return Math.min(lookedUp, shared, passes.at(-1)?.messages ?? 0);
}

/** The histories of a conversation that others are compared with: by which it is gone on with, and which were asked. */
export function namesIn(
  { passes, asked }: Conversation,
  { request, chain }: { readonly request: ClientRequest; readonly chain: readonly string[] },
): { readonly answered: string; readonly asked: readonly string[] } {
  const answered = answeredLength(request);
  // What was made behind the last answer is for this request alone: none goes on without it.
  const isOwn = passes.some(({ messages }) => messages > answered);
  return {
    answered: isOwn ? (chain.at(-1) ?? '') : answeredName(request, chain),
    asked: [...asked].toSorted((one, other) => one - other).map((length) => chain[length - 1] ?? ''),
  };
}

/** Whether more requests of a conversation are written down than were when it was written down, or taken over, here last. */
export function isBehind({ requests = 0 }: Conversation, written = 0): boolean {
  return written > requests;
}

/** A conversation of which only that counts which the store does not have: what it has is looked up anew. */
export function forgetStored(conversation: Conversation, asked: readonly number[]): void {
  const { snapshot, passes } = conversation;
  conversation.passes = unstoredOf(passes);
  conversation.asked = new Set(asked);
  conversation.lookedUp = 0;
  conversation.snapshot = { ...snapshot, state: conversation.passes.at(-1)?.state ?? emptyState() };
}

/** Passes that could not be stored. */
function unstoredOf(passes: readonly Pass[]): readonly Pass[] {
  return passes.filter(({ version }) => version === 0);
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
  const isWhole = shared === lengthOf(conversation);
  const type = isWhole || goesOn(conversation, shared, count) ? 'same' : 'fork';
  return { type, conversation, shared, isWhole };
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
