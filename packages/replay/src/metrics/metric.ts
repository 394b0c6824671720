import type { PlannedStep, SessionPlan } from '../sessions/session-plan.ts';
import type { SeenMessage } from '../sessions/message-text.ts';
import type { Run, Sent } from '../contenders/contender.ts';

/** What a metric added up over steps. Plain numbers: sums of sessions add up, keys that end in `Max` to the larger. */
export type Sums = Record<string, number>;

/** B, W and how tokens are counted: the same for every contender of a replay. */
export interface ReplaySetting {
  /** B: the trigger. */
  readonly budgetTokens: number;
  /** W: the window of the model. */
  readonly windowTokens: number;
  readonly outputReserveTokens: number;
  /** T() of one message. */
  readonly tokensOf: (message: SeenMessage) => number;
  /** Tokens of any text by the same BPE, without the 4 per message. */
  readonly textTokens: (text: string) => number;
  /** T() of system text and tools outside the messages. */
  readonly outsideTokens: number;
}

/** One message that is sent. */
export interface SentMessage {
  readonly message: unknown;
  readonly tokens: number;
}

/** What a metric sees of a step: H_k is `plan.seen` up to `step.historyLength`, C_k is `seen`. */
export interface StepView {
  readonly step: PlannedStep;
  /** `undefined`: the contender had nothing to send; `seen` and `request` are empty then. */
  readonly sent: Sent | undefined;
  readonly seen: readonly SeenMessage[];
  readonly request: readonly SentMessage[];
  readonly sentTokens: number;
  /** T(H_k) and T(H_{k−1}), in the format of the recording. */
  readonly historyTokens: number;
  readonly formerHistoryTokens: number;
  /** Indices into `seen` of what is no unchanged message of the history: edited, or written by the contender. */
  readonly changed: readonly number[];
  /** The history has been above B, at this step or before. */
  readonly hasTriggered: boolean;
  /** Something of the history has been missing or different, at this step or before. */
  readonly isPost: boolean;
  /** How long the contender took. */
  readonly elapsedMs: number;
}

/** A metric at work on one session with one contender. */
interface MetricRun {
  readonly sums: Sums;
  add(view: StepView, run: Run): void | Promise<void>;
  /** After the last step. */
  finish?(last: StepView, run: Run): void | Promise<void>;
}

export interface Metric {
  start(plan: SessionPlan, setting: ReplaySetting): MetricRun;
}

export function add(sums: Sums, key: string, by = 1): void {
  sums[key] = (sums[key] ?? 0) + by;
}

export function addMax(sums: Sums, key: `${string}Max`, value: number): void {
  sums[key] = Math.max(sums[key] ?? 0, value);
}

/** Adds `more` to `sums`. */
export function addSums(sums: Sums, more: Readonly<Sums>): void {
  for (const [key, value] of Object.entries(more)) {
    sums[key] = key.endsWith('Max') ? Math.max(sums[key] ?? 0, value) : (sums[key] ?? 0) + value;
  }
}

/** One sum; 0 where nothing was added. */
export function sumOf(sums: Readonly<Sums>, key: string): number {
  return sums[key] ?? 0;
}

/** The quotient of two sums; not a number where the divisor is 0. */
export function ratioOf(sums: Readonly<Sums>, part: string, whole: string): number {
  const divisor = sumOf(sums, whole);
  return divisor === 0 ? Number.NaN : sumOf(sums, part) / divisor;
}
