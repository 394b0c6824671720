import type { Change } from '../changes/change.ts';
import type { ContextState } from './state.ts';
import type { FoldPlan } from '../stages/select-fold.ts';
import type { MeasuredPart } from '../errors/context-error.ts';
import type { ModelRequest } from '../summary/model-request.ts';
import type { Report, RungReport } from './report.ts';
import type { SummaryJob } from '../summary/summary-job.ts';
import type { View } from '../changes/view.ts';

export type CompactionReason =
  | 'overflow'
  | 'threshold'
  | 'preflight'
  | 'provider-error'
  | 'model-switch'
  | 'background'
  | 'manual';

/** The stored record of one pass that changed the view: what `undo`, compare and the history of a session need. */
export interface Checkpoint {
  readonly id: string;
  /** The checkpoint before it; `null` for the first. */
  readonly parent: string | null;
  readonly reason: CompactionReason;
  readonly strategy: string;
  /** What came into force, and what that replaced. */
  readonly changes: readonly Change[];
  readonly retired: readonly Change[];
  /** Ordinal from which results had not been through admission before it. */
  readonly admittedEnd: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** Where a pass waits for the model. Plain JSON, without messages: the history is handed in again. */
export interface Paused {
  readonly version: 1;
  readonly state: ContextState;
  /** Changes in force so far in this pass. */
  readonly live: readonly Change[];
  readonly rungs: readonly RungReport[];
  readonly nextRung: number;
  readonly plan: FoldPlan;
  readonly messageTokens: number;
  readonly job: SummaryJob;
  readonly reason: CompactionReason;
  readonly triggerTokens: number;
  readonly focus?: string;
}

/** What one step of the engine comes to. */
export type Step = Ready | ModelNeeded | CannotFit;

export interface Ready {
  readonly type: 'ready';
  readonly view: View;
  /** New in this step, to be appended to what the host keeps. Empty when nothing was done. */
  readonly changes: readonly Change[];
  /** Present when the pass changed the view of what was sent before. */
  readonly checkpoint?: Checkpoint;
  readonly state: ContextState;
  readonly report: Report;
}

/** The core cannot ask a model: the host asks, and hands the answer to `resume`. */
export interface ModelNeeded {
  readonly type: 'model-needed';
  readonly request: ModelRequest;
  readonly paused: Paused;
}

/** Not even the irreducible part fits, or compaction is switched off. Nothing was changed; the request is kept. */
export interface CannotFit {
  readonly type: 'cannot-fit';
  readonly usableTokens: number;
  /** Measured tokens of the smallest request possible; of the request as it is where compaction is switched off. */
  readonly requestTokens: number;
  /** The biggest parts first. */
  readonly parts: readonly MeasuredPart[];
  /** The user may ask for a compaction: only the switch forbids it. */
  readonly canCompact: boolean;
  readonly state: ContextState;
  readonly report: Report;
}
