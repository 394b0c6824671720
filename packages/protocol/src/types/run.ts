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

/** How a run ended. Plain JSON, stored with the run. */
export type RunOutcome =
  /** The model has said its last word: `stop`, or whatever else made it end without a call. */
  | { readonly type: 'completed'; readonly finish: ModelFinish }
  | { readonly type: 'cancelled' }
  /** The limit was reached. `isConcluded`: the model had a last step without tools to say what it has. */
  | { readonly type: 'limit'; readonly limit: 'steps' | 'time'; readonly isConcluded: boolean }
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  /**
   * Not even the smallest request fits the window, or compaction is switched off: the biggest parts first. The session is
   * as it was.
   */
  | {
      readonly type: 'cannot-fit';
      readonly usableTokens: number;
      readonly requestTokens: number;
      readonly parts: readonly MeasuredPart[];
      /** Only the switch forbids it: a compaction that is asked for may make room. */
      readonly canCompact: boolean;
      /** The provider refused the request, whatever it measures. */
      readonly refusal?: ModelFailure;
    }
  /** Another process has taken the session over. */
  | { readonly type: 'lost' }
  /** A fault that is nobody's expectation (a store that fails); the message is for people. */
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

/** What a standing permission covers: every call of the tool, or only those with this key (for `bash`: the command). */
export interface Grant {
  readonly toolName: string;
  readonly key?: string;
  /** A permission for every call of the tool does not cover it. */
  readonly isExact?: boolean;
}

/** A question to the user that a call of a tool waits for. */
export interface ApprovalRequest {
  readonly id: string;
  readonly callId: string;
  readonly toolName: string;
  readonly input: Json;
  /** What an answer for the session or for always would cover. */
  readonly grant: Grant;
  /** What the tool can reach when it runs; empty when there is nothing to warn of. */
  readonly warning: string;
  readonly requestedAtMs: number;
}

/**
 * A user's answer to an approval. `session` and `always` allow all further calls that the `grant` of the request
 * covers. The model is told the `reason`.
 */
export type ApprovalAnswer =
  | { readonly type: 'allow'; readonly scope: 'once' | 'session' | 'always' }
  | { readonly type: 'deny'; readonly reason?: string };

export interface ApprovalList {
  readonly items: readonly ApprovalRequest[];
}
