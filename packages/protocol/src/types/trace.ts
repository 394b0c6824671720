import type { RunOutcome } from './run.ts';
import type { TokenUsage } from './events.ts';

/** The runs of one page, oldest first. */
export interface TracePage<Note = TraceNote> {
  readonly runs: readonly TraceRun<Note>[];
  /** What `after` of the next page is; `null` on the last one. */
  readonly next: number | null;
}

/** A run, as far as it is on this page. */
export interface TraceRun<Note = TraceNote> {
  /** `null` for what happened outside of a run: a compaction by hand, an undo. */
  readonly runId: string | null;
  /** `null`: it began on a page before, or is no run. */
  readonly startedAtMs: number | null;
  /** `null`: it goes on, or ends on a later page, or nobody has ended it. */
  readonly outcome: RunOutcome | null;
  readonly durationMs: number | null;
  readonly steps: readonly TraceStep<Note>[];
  /** What belongs to no step. */
  readonly notes: readonly Note[];
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
export interface TraceStep<Note = TraceNote> {
  /** Number of the event it began with: the request of the step is asked for by it. */
  readonly seq: number;
  readonly step: number;
  readonly provider: string;
  readonly model: string;
  readonly startedAtMs: number;
  /** What its request was made of; `null` where that was not recorded. */
  readonly context: StepContext | null;
  /** `null`: it was cut off, or goes on. */
  readonly finish: string | null;
  readonly usage: TokenUsage | null;
  readonly durationMs: number | null;
  readonly firstTokenMs: number | null;
  /** The answer in the history. */
  readonly messageId: string | null;
  readonly calls: readonly TraceCall[];
  /** Retries, failures, repairs, and what made room before the next step. */
  readonly notes: readonly Note[];
}

/** A call of a tool. Without a result `durationMs` and `messageId` are `null`, too. */
export interface TraceCall {
  readonly callId: string;
  readonly toolName: string;
  readonly startedAtMs: number;
  /** `null` while there is no result. */
  readonly success: boolean | null;
  readonly isCancelled: boolean;
  readonly isTruncated: boolean;
  readonly durationMs: number | null;
  /** The result in the history. */
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
