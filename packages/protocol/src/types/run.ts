import type { Json } from './json.ts';

/** Why the model stopped. */
export type ModelFinish = 'stop' | 'length' | 'tool-calls' | 'refusal' | 'window-full' | 'paused' | 'other';

export type FailureKind =
  | 'overflow'
  | 'bytes'
  | 'media'
  | 'rate'
  | 'auth'
  | 'timeout'
  | 'provider'
  | 'cancelled';

/** A step that the model's server did not answer. */
export interface ModelFailure {
  readonly kind: FailureKind;
  readonly message: string;
  /** The same step can still succeed. */
  readonly recoverable: boolean;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly promptTokens?: number;
  readonly limitTokens?: number;
  readonly outputTokens?: number;
  readonly unsupported?: 'tools' | 'images';
  readonly requestId?: string;
}

/** One measured piece of a request. */
export interface MeasuredPart {
  readonly name: string;
  readonly tokens: number;
  readonly recallId?: string;
}

/** How a run ended. */
export type RunOutcome =
  | { readonly type: 'completed'; readonly finish: ModelFinish }
  | { readonly type: 'cancelled' }
  /** `isConcluded`: the model had a last step to say what it has. */
  | { readonly type: 'limit'; readonly limit: 'steps' | 'time'; readonly isConcluded: boolean }
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  | {
      readonly type: 'cannot-fit';
      readonly usableTokens: number;
      readonly requestTokens: number;
      readonly parts: readonly MeasuredPart[];
      readonly canCompact: boolean;
      readonly refusal?: ModelFailure;
    }
  /** Another process has taken the session over. */
  | { readonly type: 'lost' }
  | { readonly type: 'broken'; readonly code: string; readonly message: string };

export interface Run {
  readonly id: string;
  readonly startedAtMs: number;
  /** `null` while it runs. */
  readonly endedAtMs: number | null;
  /** `null` while it runs, or when its process died. */
  readonly outcome: Json;
}

export interface RunList {
  /** Oldest first. */
  readonly items: readonly Run[];
}

/** What a resume came to; without a run where there was nothing to do. */
export interface ResumeAnswer {
  readonly ok: true;
  readonly runId: string | null;
}

export interface CancelAnswer {
  readonly ok: true;
}

export interface SettleAnswer {
  readonly ok: true;
  /** How the last run ended, in whatever process; `null` where there was none, and where it cannot be told. */
  readonly outcome: RunOutcome | null;
}

/** A question to the user that a call of a tool waits for. */
export interface ApprovalRequest {
  readonly id: string;
  readonly callId: string;
  readonly toolName: string;
  readonly input: Json;
  /** What an answer for the session or for always would cover. */
  readonly grant: { readonly toolName: string; readonly key?: string; readonly isExact?: boolean };
  /** What the tool can reach when it runs; empty when there is nothing to warn of. */
  readonly warning: string;
  readonly requestedAtMs: number;
}

export type ApprovalAnswer =
  | { readonly type: 'allow'; readonly scope: 'once' | 'session' | 'always' }
  | { readonly type: 'deny'; readonly reason?: string };

export interface ApprovalList {
  readonly items: readonly ApprovalRequest[];
}
