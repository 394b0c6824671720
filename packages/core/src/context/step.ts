import type { BackgroundJob } from './background.ts';
import type { Change } from '../changes/change.ts';
import type { TruncationProgress, ContextState } from '../pass/state.ts';
import type { Pass, PassProgress } from '../pass/pass.ts';
import type { CompactionReason, PassRequest, Report } from '../pass/report.ts';
import type { MeasuredPart } from '../errors/context-error.ts';
import type { ModelRequest } from '../summary/model-request.ts';
import type { PendingSummary } from '../pass/pending-summary.ts';
import type { PendingReview } from '../pass/pending-review.ts';
import type { View } from '../changes/view.ts';
import type { WireExcess } from '../stages/wire-size.ts';

/** What is stored of one pass that changed the view: what `undo`, compare and the history of a session need. */
export interface Checkpoint {
  readonly id: string;
  /** The checkpoint before it; `null` for the first. */
  readonly parent: string | null;
  readonly reason: CompactionReason;
  readonly strategy: string;
  /** What came into force, and what that replaced. */
  readonly changes: readonly Change[];
  readonly retired: readonly Change[];
  /** How much of the history had been truncated before it. */
  readonly truncation: TruncationProgress;
  /** Ordinal after the newest message when it was made: what came later was written behind the view it made. */
  readonly historyEnd: number;
  /** With new results as they were truncated at their source: what they weighed before was never in the context. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** What the model is asked for. */
export type Pending =
  | ({ readonly type: 'compact' } & PendingSummary)
  | ({ readonly type: 'review' } & PendingReview);

/** Where a pass waits for the model. Plain JSON, without messages: the history is handed in again. */
export interface Paused extends Pick<Pass, 'state'>, Omit<PassProgress, 'idleMs'> {
  readonly version: 3;
  readonly nextLadderStep: number;
  readonly passRequest: PassRequest;
  /** When the client edits what is to be compacted or was reviewed meanwhile, the pass begins anew. */
  readonly pending: Pending;
  readonly idleMs?: Pass['idleMs'];
}

/** What one step of the engine comes to. */
export type Step = Ready | ModelNeeded | CannotFit;

/** A step whose request can be sent: render `view`, and keep `state` and `changes` for the next step. */
export interface Ready {
  readonly type: 'ready';
  readonly view: View;
  /** New in this step, to be appended to what the host keeps. Empty when nothing was done. */
  readonly changes: readonly Change[];
  /** Present when the pass changed the view of what was sent before. */
  readonly checkpoint?: Checkpoint;
  /** A summary that is worth writing while the agent goes on; `advanceBackground` makes the questions of it. */
  readonly background?: BackgroundJob;
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
  /** Present where the request has more bytes or media than the provider takes, whatever its tokens. */
  readonly wire?: WireExcess;
  /** The user may ask for a compaction: only the switch forbids it. */
  readonly canCompact: boolean;
  readonly state: ContextState;
  readonly report: Report;
}
