import type { ChainedMessage, ProxyConversations } from './proxy-conversations.ts';
import type { ProxyPasses } from './proxy-passes.ts';

/**
 * What the proxy knows across restarts: histories of clients, what was made of them, and what upstreams can take.
 *
 * A history is named by a chain of hashes: that of a message stands for all messages up to it, so histories that begin
 * alike share that beginning, and need no other name. A `scope` says who may be answered from what is stored: a hash is
 * looked up in its scope alone. Hashes, scopes and ids are plain texts of the caller.
 *
 * Any conversation may be pruned at any time, also by another process: what stands on messages that are gone is not
 * stored, and the caller is told, so that it stores the whole history again.
 *
 * Every method is one transaction where it says nothing else. What is stored outlives the process. A pass outlives a power
 * failure, too, with the messages it stands on; messages and notes of conversations may be lost to one, and a client that
 * resends its history brings them back.
 *
 * @throws {ContextError} `store-failed` when the store cannot be used, with the reason.
 */
export interface ProxyStore {
  /**
   * Stores the messages that follow the message `after`, or begin a history where that is `null`; those that are known
   * stay as they are. A long list goes in several transactions: what is cut off leaves its beginning.
   *
   * @returns `false` where the message `after` is not there, and nothing was stored: begin at the beginning.
   */
  addMessages(scope: string, after: string | null, messages: readonly ChainedMessage[]): Promise<boolean>;
  /** How many messages of a history, given oldest first, are stored: all before the newest that is known are. */
  knownLength(scope: string, hashes: readonly string[]): Promise<number>;
  readonly passes: ProxyPasses;
  readonly conversations: ProxyConversations;
  readonly limits: ProxyLimits;
  /**
   * Deletes conversations, the one not used longest first: those not used since `olderThanMs`, then others until no more
   * than `maxBytes` are kept; and all messages and passes on which no other conversation stands. Messages on which no
   * conversation stands yet have an hour to get one. It goes in small transactions, and others go on meanwhile.
   */
  prune(bounds: PruneBounds): Promise<Pruned>;
}

/** How much `ProxyStore.prune` keeps. */
export interface PruneBounds {
  /** A time, no age: conversations that were not used then or later go. @default none goes for its age */
  readonly olderThanMs?: number;
  /** Most bytes of messages and passes, with what a row takes beside its text. @default none goes for its size */
  readonly maxBytes?: number;
}

/** What was deleted, and what is kept. */
export interface Pruned {
  readonly conversations: number;
  readonly messages: number;
  readonly passes: number;
  readonly bytes: number;
  readonly keptBytes: number;
}

/** Where the size of a window is known from: an error or a cut, a question to the upstream, or what its answers say. */
export type ProxyLimitSource = 'learned' | 'discovered' | 'told';

/** A window in tokens as one source knows it, and when that was stored. */
export interface ProxyLimit {
  readonly windowTokens: number;
  readonly atMs: number;
}

/** What is known of a window, each source by itself. They are facts about an upstream, and belong to no scope. */
export type KnownLimits = { readonly [Source in ProxyLimitSource]?: ProxyLimit };

/** The windows of upstream models, by address and name of the model. */
export interface ProxyLimits {
  read(address: string, model: string): Promise<KnownLimits>;
  /**
   * Stores what a source says, in place of what it said before; only of what was learned the least stays, with its
   * time. @returns all that is known then
   */
  keep(
    address: string,
    model: string,
    limit: { readonly source: ProxyLimitSource; readonly windowTokens: number },
  ): Promise<KnownLimits>;
}
