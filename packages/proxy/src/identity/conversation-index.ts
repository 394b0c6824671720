import { emptyState } from '@throughline/core';
import { fingerprintEntry, isSameEntry } from '@throughline/core/internal';
import type { ContextState } from '@throughline/core';
import type { Entry } from '@throughline/core/codec';
import type { Snapshot } from '@throughline/adapters/following';
import type { Usage } from '../state/stand.ts';
import type { ClientRequest } from '../wire/client-request.ts';

/** The state that a pass left, and the history it was made from: all of its messages, told by their number. */
export interface Pass {
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
  /** Name of the history after which its state was written down, or taken over, last. */
  stoodAt?: string;
  /** Resolves when nobody works on it. */
  idle: Promise<unknown>;
}

/** What is known of the messages of a request. */
export type Relation =
  /** They go on where it stopped. */
  | { readonly type: 'same'; readonly conversation: Conversation }
  /** They begin like it, and part after so many messages. */
  | { readonly type: 'fork'; readonly conversation: Conversation; readonly shared: number };

// What is decoded of a history, in characters of its requests: they cost several bytes each. The one not heard of longest
// goes first; with a store its changes are found there again.
const mostConversations = 1_000;
const mostCharacters = 50_000_000;

/**
 * The conversations of this process, found by their messages. A client resends its whole history: what a request and a
 * conversation have in common at the beginning tells which it is, whatever the client calls it.
 */
export class ConversationIndex {
  /** By scope and first message of the user; inside, the one heard of last at the end. */
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
      if (relation?.type === 'same') {
        if (best?.type !== 'same' || lengthOf(conversation) > lengthOf(best.conversation)) best = relation;
      } else if (relation && best?.type !== 'same' && relation.shared > (best?.shared ?? 0)) best = relation;
    }
    return best;
  }

  /** Remembers it as the one heard of last. */
  keep(conversation: Conversation, request: ClientRequest): void {
    this.forget(conversation);
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
      this.forget(oldest);
    }
  }

  forget(conversation: Conversation): void {
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
 * The state for a history that shares its first messages with a conversation: a pass counts for those that extend its
 * history. What else became of that conversation counts for nothing: each gets what it would get alone.
 */
export function stateAfter({ passes }: Conversation, shared: number): ContextState {
  return passes.findLast(({ messages, isLate }) => messages <= shared && !isLate)?.state ?? emptyState();
}

function lengthOf({ snapshot }: Conversation): number {
  return snapshot.transcript.conversation.entries.length;
}

const instructing = new Set(['system', 'developer']);

function bucketOf(scope: string, { dialect, messages }: ClientRequest): string {
  const first =
    messages.find((message) => !instructing.has(String((message as { role?: unknown } | null)?.role))) ??
    messages[0];
  return `${scope} ${dialect.name} ${fingerprintEntry(dialect.codec.decode(first, 0))}`;
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
  const { entries } = conversation.snapshot.transcript.conversation;
  const length = Math.min(entries.length, count);
  let shared = 0;
  while (shared < length) {
    const entry = entries.at(shared);
    if (!entry || !isSame(shared, entry)) break;
    shared += 1;
  }
  if (shared === entries.length && shared > 0) return { type: 'same', conversation };
  return shared > 0 ? { type: 'fork', conversation, shared } : undefined;
}
