import type { Json } from '../../json/json.ts';
import type { Binding, Role } from '../../transcript/entry.ts';
import type { NeutralContent, NeutralMedia } from '../codec.ts';

/**
 * A message as the runtime stores it, and the middle form for importers of event logs. Plain JSON. Fields that are
 * not listed here survive every edit.
 */
export interface SessionMessage {
  readonly id: string;
  readonly role: Role;
  readonly parts: readonly SessionPart[];
  readonly createdAtMs?: number;
  readonly meta?: {
    /** What the engine wrote itself. */
    readonly kind?: 'summary' | 'note' | 'interrupted';
    readonly [key: string]: Json | undefined;
  };
  /** What the provider counted for the response this message is; whole prompt, cached part included. */
  readonly usage?: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cacheReadTokens?: number;
    readonly cacheWriteTokens?: number;
  };
  readonly finishReason?: string;
}

/** A signature the provider gave a part, sent back with it unchanged. */
interface SessionSignature {
  readonly signature?: string;
  /** What the signature binds the part to. @default 'content' */
  readonly binding?: Binding;
}

export type SessionPart =
  | (SessionSignature & { readonly type: 'text'; readonly text: string })
  | (SessionSignature & { readonly type: 'reasoning'; readonly text: string })
  | (SessionSignature & {
      readonly type: 'call';
      readonly callId: string;
      readonly name: string;
      /** The arguments as a value; the text itself where it did not parse. */
      readonly input: Json;
      readonly isProviderExecuted?: boolean;
    })
  | {
      readonly type: 'result';
      readonly callId: string;
      readonly name: string;
      readonly content: readonly NeutralContent[];
      readonly isError?: boolean;
      readonly isProviderExecuted?: boolean;
    }
  | NeutralMedia
  /** Anything that only its provider understands. */
  | { readonly type: 'opaque'; readonly value: Json; readonly isBarrier?: boolean };
