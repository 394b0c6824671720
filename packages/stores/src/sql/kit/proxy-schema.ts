import type { Generated } from 'kysely';

/** The tables of the proxy, as the queries see them. Messages, states and reports are JSON text. */
export interface ProxySchema {
  /** The texts that scopes are, each once. */
  readonly proxy_scopes: {
    readonly key: Generated<number>;
    readonly name: string;
    /** Bytes of all its messages and passes, which `prune` goes by. */
    readonly bytes: Generated<number>;
  };
  readonly proxy_messages: {
    readonly key: Generated<number>;
    readonly scope_key: number;
    readonly hash: string;
    /** Hash of the message before it; that one is always there. */
    readonly parent: string | null;
    readonly length: number;
    readonly bytes: number;
    readonly added_at_ms: number;
    readonly message: string;
  };
  /** Its messages are always there. */
  readonly proxy_passes: {
    readonly scope_key: number;
    readonly hash: string;
    readonly length: number;
    readonly version: number;
    /** 1: longer histories had gone out without it, and it counts for its own alone. */
    readonly is_late: Generated<number>;
    readonly conversation_id: string;
    readonly bytes: number;
    readonly created_at_ms: number;
    readonly report: string;
    readonly state: string;
  };
  /** Its messages are always there. */
  readonly proxy_conversations: {
    readonly key: Generated<number>;
    readonly id: string;
    readonly scope_key: number;
    readonly route: string;
    readonly owner: string;
    readonly label: string | null;
    readonly title: string;
    readonly model: string;
    readonly parent_id: string | null;
    readonly head_hash: string;
    readonly length: number;
    readonly requests: number;
    readonly compactions: number;
    readonly last_usage: string | null;
    /** The session whose client has compacted its history; one of a session at the most. */
    readonly compacted_session: Generated<string | null>;
    readonly started_at_ms: number;
    readonly used_at_ms: number;
  };
  /** Apart from their conversations, of which people see lists: these are large. */
  readonly proxy_instructions: {
    readonly conversation_key: number;
    readonly instructions: string;
  };
  readonly proxy_limits: {
    readonly address: string;
    readonly model: string;
    readonly source: string;
    readonly window_tokens: number;
    readonly at_ms: number;
  };
}
