import type { RunOutcome } from './run.ts';
import type { TokenUsage } from './events.ts';

/** What happened in a session, a page of steps at a time. */
export interface TracePage {
  readonly runs: readonly TraceRun[];
  /** What `after` of the next page is; `null` on the last one. */
  readonly next: number | null;
}

/** A run, as far as it is on this page. */
export interface TraceRun {
  /** `null` for what happened outside of a run. */
  readonly runId: string | null;
  readonly startedAtMs: number | null;
  readonly outcome: RunOutcome | null;
  readonly durationMs: number | null;
  readonly steps: readonly TraceStep[];
  /** What belongs to no step. */
  readonly notes: readonly TraceNote[];
}

/** What the request of a step was made of. */
export interface StepContext {
  /** Messages that there were. */
  readonly historyLength: number;
  /** The newest compaction in force. */
  readonly head: string | null;
  /** Fingerprints of system text and of tools: others than those of the step before say that the prefix broke there. */
  readonly systemHash?: string;
  readonly toolsHash?: string;
}

/** One request of a model and what came of it. */
export interface TraceStep {
  /** Takes one to the request of the step. */
  readonly seq: number;
  readonly step: number;
  readonly provider: string;
  readonly model: string;
  readonly startedAtMs: number;
  /** What its request was made of; `null` where that was not recorded. */
  readonly context: StepContext | null;
  readonly finish: string | null;
  readonly usage: TokenUsage | null;
  readonly durationMs: number | null;
  readonly firstTokenMs: number | null;
  /** The answer in the history. */
  readonly messageId: string | null;
  readonly calls: readonly TraceCall[];
  /** Retries, failures, repairs, and what made room before the next step. */
  readonly notes: readonly TraceNote[];
}

export interface TraceCall {
  readonly callId: string;
  readonly toolName: string;
  readonly startedAtMs: number;
  readonly success: boolean | null;
  readonly isCancelled: boolean;
  readonly isTruncated: boolean;
  readonly durationMs: number | null;
  readonly messageId: string | null;
}

/** An event that says why something went as it did. */
export interface TraceNote {
  readonly type: string;
  readonly seq: number;
  readonly atMs: number;
  /** As in the event of this type. */
  readonly data: unknown;
}

/** The request of a step, made anew. */
export interface StepRequestAnswer {
  readonly seq: number;
  readonly runId: string | null;
  readonly step: number;
  readonly provider: string;
  readonly model: string;
  /** In the format of the model's server, with system text and tools; `null` where nothing was recorded. */
  readonly request: unknown;
  /** It is what was sent, to the byte. */
  readonly isExact: boolean;
  readonly differsIn: readonly ('not-recorded' | 'model' | 'settings')[];
}
