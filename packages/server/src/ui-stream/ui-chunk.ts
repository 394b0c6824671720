import type { AgentEvents, ContextUsage, TokenUsage } from '@throughline/agent';

/** What a compaction has come to so far. */
export type CompactionData =
  | {
      readonly state: 'running';
      readonly reason: string;
      readonly tokensBefore: number;
      readonly phase?: AgentEvents['compaction:phase']['phase'];
      readonly progress?: number;
    }
  | {
      readonly state: 'completed';
      readonly reason: string;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly messagesCompacted: number;
      readonly checkpointId: string;
      readonly summary: string | null;
    }
  | { readonly state: 'failed'; readonly errorText: string }
  | { readonly state: 'cancelled' };

/** What the message of the user came to while it waits. */
export type QueueData =
  | { readonly state: 'waiting'; readonly position: number }
  | { readonly state: 'taken' | 'removed' | 'held' };

/** What stands in the metadata of the assistant's message, below `throughline`. */
export interface AnswerMetadata {
  readonly sessionId: string;
  /** `provider:model` of the newest step. */
  readonly model?: string;
  /** Sum of the steps, as far as the provider counted them. */
  readonly usage?: TokenUsage;
  /** Number of the last event that the message shows: an answer to an approval goes on behind it. */
  readonly position?: number;
}

type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

/** A part of the UI message stream, version 1, of the AI SDK. Those that the agent has. */
export type UiChunk =
  | { readonly type: 'start'; readonly messageId: string; readonly messageMetadata: Metadata }
  | { readonly type: 'start-step' }
  | { readonly type: 'finish-step' }
  | { readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; readonly id: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | {
      readonly type: 'tool-input-start';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly dynamic: true;
    }
  | {
      readonly type: 'tool-input-available';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly dynamic: true;
    }
  | {
      readonly type: 'tool-approval-request';
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly reason?: string;
    }
  | {
      readonly type: 'tool-approval-response';
      readonly approvalId: string;
      readonly approved: boolean;
      readonly reason?: string;
    }
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: unknown;
      readonly dynamic: true;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
      readonly dynamic: true;
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | { readonly type: 'data-throughline-usage'; readonly id: 'usage'; readonly data: ContextUsage }
  | { readonly type: 'data-throughline-compaction'; readonly id: string; readonly data: CompactionData }
  | { readonly type: 'data-throughline-queue'; readonly id: 'queue'; readonly data: QueueData }
  /** Told once and not kept in the message. */
  | {
      readonly type: 'data-throughline-notice';
      readonly transient: true;
      readonly data: { readonly message: string };
    }
  | {
      readonly type: 'data-throughline-tool-output';
      readonly transient: true;
      readonly data: { readonly toolCallId: string; readonly delta: string };
    }
  | {
      readonly type: 'data-throughline-title';
      readonly transient: true;
      readonly data: { readonly title: string };
    }
  | { readonly type: 'message-metadata'; readonly messageMetadata: Metadata }
  | { readonly type: 'finish'; readonly finishReason: FinishReason; readonly messageMetadata: Metadata }
  | { readonly type: 'abort'; readonly reason: string }
  | { readonly type: 'error'; readonly errorText: string };

interface Metadata {
  readonly throughline: AnswerMetadata;
}
