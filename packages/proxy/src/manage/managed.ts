import type { Conversation } from '../identity/conversation-index.ts';
import type { FittedStep, Snapshot } from '@throughline/adapters/following';
import type { History } from '../state/stored-histories.ts';
import type { ModelLimits, RenderedMessage } from '@throughline/core/types';

/** What was done to the context of a request. */
export type ContextAction = 'none' | 'replayed' | 'truncated' | 'pruned' | 'compacted' | 'client-compaction';

/** A request as it is to be sent. */
export interface Managed {
  readonly conversation: Conversation;
  readonly snapshot: Snapshot;
  /** The body; `undefined`: the client's own bytes. */
  readonly text: string | undefined;
  readonly action: ContextAction;
  readonly messages: readonly RenderedMessage<unknown>[];
  readonly step: FittedStep['step'];
  /** What the answer was lowered to, so that prompt and answer fit together. */
  readonly maxTokens?: number;
  /** Usage is asked for in the stream, because the client has not. */
  readonly asksUsage: boolean;
  readonly limits: ModelLimits;
  /** Under which it is stored, where there is a store. */
  readonly history?: History;
}
