import type { Json } from '@throughline/core/codec';
import type { Page } from './history.ts';

/** Who looks: a caller, or the owner in all of its scopes. What belongs to others is not there. */
export type Whose = { readonly scope: string } | { readonly owner: string };

/** A conversation as it is after a request. */
export interface ConversationUpdate {
  readonly id: string;
  readonly route: string;
  /** To whom it belongs; empty where there is only one user. It stays that of the first request. */
  readonly owner: string;
  /** What the client calls it. @default what it was */
  readonly label?: string;
  /** The first text of the user, shortened. It stays that of the first request. */
  readonly title: string;
  readonly model: string;
  /** The conversation it parted from. It stays that of the first request. */
  readonly parentId?: string;
  /** Its newest message. */
  readonly headHash: string;
  /** Made for this request. @default 0 */
  readonly compactions?: number;
  /** What the upstream said of this request. @default what it was */
  readonly lastUsage?: Json;
  /** What the client sends beside its messages. @default what it was */
  readonly instructions?: Json;
  /**
   * Milliseconds since its first request, where nothing was stored under this id yet. Another conversation of the scope
   * that was made since then (or a second before), and stands at the same messages or goes on behind them, has had its first request at the
   * same time in another process: it is that one, and stays where it stands if that is further on. Its parent is no such
   * one. @default it was stored before
   */
  readonly unstoredForMs?: number;
}

/** Plain JSON. */
export interface ProxyConversation {
  readonly id: string;
  readonly scope: string;
  readonly route: string;
  readonly owner: string;
  readonly label: string | null;
  readonly title: string;
  readonly model: string;
  /** That one may be deleted since. */
  readonly parentId: string | null;
  readonly headHash: string;
  /** Number of messages. */
  readonly length: number;
  readonly requests: number;
  readonly compactions: number;
  readonly lastUsage: Json;
  readonly startedAtMs: number;
  readonly usedAtMs: number;
}

/** One page of stored conversations. */
export interface ConversationQuery {
  /** Only conversations of this route. @default of all */
  readonly route?: string;
  /** `next` of the page before. */
  readonly cursor?: string;
  /** @default 50 */
  readonly limit?: number;
}

/** A search in stored conversations. `limit` is 20 conversations unless stated. */
export interface ConversationSearch extends ConversationQuery {
  readonly query: string;
  /** Most hits of one conversation, the newest. @default 3 */
  readonly hitsPerConversation?: number;
}

/** A message in which a search found its text. */
export interface MessageHit {
  /** Hash of the message and all that come before it. */
  readonly hash: string;
  /** Number of messages up to and with it: 1 for the first. */
  readonly length: number;
  readonly role?: string;
  /** The text around the hit. */
  readonly excerpt: string;
}

/** A conversation in which a search found its text. */
export interface FoundConversation {
  readonly conversation: ProxyConversation;
  /** Newest first. */
  readonly hits: readonly MessageHit[];
}

/** @throws {ContextError} `invalid-option` for a cursor that is none. */
export interface ProxyConversations {
  /**
   * Counts a request, and stores where the conversation stands after it; a new one is made.
   *
   * @returns the one that was counted, see `unstoredForMs`; `undefined` where its newest message is not there, and nothing
   *   was stored.
   * @throws {ContextError} `already-exists` where the id is one of another scope.
   */
  update(scope: string, update: ConversationUpdate): Promise<ProxyConversation | undefined>;
  /**
   * Notes that the client has compacted the history of this conversation itself, in the session that it names: what it
   * sends next there begins anew. Of a session the last one counts.
   *
   * @returns `false` where there is no such conversation.
   */
  noteCompaction(scope: string, id: string, session: string): Promise<boolean>;
  /** The conversation that was noted last for this session; told once, whoever asks. */
  takeCompacted(scope: string, session: string): Promise<string | undefined>;
  /** @throws {ContextError} `not-found` */
  read(whose: Whose, id: string): Promise<ProxyConversation>;
  /**
   * What its client sends beside its messages, as it was stored last; `null` where nothing was. It goes with the
   * conversation.
   *
   * @throws {ContextError} `not-found`
   */
  instructions(whose: Whose, id: string): Promise<Json>;
  /** The one used last comes first. */
  list(whose: Whose, query?: ConversationQuery): Promise<Page<ProxyConversation>>;
  /**
   * The newest page first; inside a page the order is that of the history.
   *
   * @throws {ContextError} `not-found`
   */
  messages(whose: Whose, id: string, query?: MessageQuery): Promise<Page<ProxyMessage>>;
  /**
   * Where the text stands in one conversation, whatever its case: newest first. It goes in several transactions.
   *
   * @param limit @default 20
   * @throws {ContextError} `not-found`
   */
  searchIn(whose: Whose, id: string, query: string, limit?: number): Promise<readonly MessageHit[]>;
  /**
   * Where the text stands in all of them, the one used last first. A page may hold fewer than `limit` conversations, or
   * none, and still have a next one: so much is looked through at a time. It goes in several transactions.
   */
  search(whose: Whose, query: ConversationSearch): Promise<Page<FoundConversation>>;
  /**
   * Deletes it with all messages and passes on which no other stands: at once for all who look, in small transactions on
   * the disk. `false` when there was none.
   */
  delete(whose: Whose, id: string): Promise<boolean>;
}

/** One page of a conversation's messages. */
export interface MessageQuery {
  /** `next` of the page before. Absent: the newest page. */
  readonly cursor?: string;
  /** Up to 500. @default 50 */
  readonly limit?: number;
}

/** A message of a client, and the name of the history that ends with it. */
export interface ChainedMessage {
  /** Hash of the message and all that come before it. */
  readonly hash: string;
  /** JSON as the client wrote it; well-formed Unicode. */
  readonly message: string;
}

/** A message as it was stored, and its place in its history. */
export interface ProxyMessage extends ChainedMessage {
  /** Number of messages up to and with it: 1 for the first. */
  readonly length: number;
  readonly addedAtMs: number;
}
