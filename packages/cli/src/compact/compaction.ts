import type { Loss } from '@throughline/core/codec';
import type { MeasuredPart, Repair, Violation } from '@throughline/core/types';

/** The shape of `throughline compact --json`. Fields are added, never renamed or taken away. */
export interface Compaction {
  readonly file: string;
  readonly format: string;
  readonly session: { readonly number: number; readonly id: string };
  readonly window: CompactionWindow;
  readonly strategy: string;
  readonly estimator: string;
  /**
   * `unchanged`: there was nothing to gain. `repaired`: neither, but the format would have refused the messages as they
   * were. `undone`: the last compaction was taken back.
   */
  readonly outcome: 'compacted' | 'unchanged' | 'repaired' | 'undone' | 'cannot-fit';
  /** Round of the summary in force; `null` when there is none. */
  readonly round: number | null;
  /** The state file that was gone on from. */
  readonly continuedFrom: string | null;
  /** `before` counts the messages as they were read, `after` what would be sent. */
  readonly messages: BeforeAfter;
  /** As measured for the whole request, system prompt and tools of the file included. */
  readonly tokens: BeforeAfter;
  /** `tokens.after` ÷ `window.usableTokens` × 100. */
  readonly percentOfUsable: number;
  readonly byCategory: readonly CategoryChange[];
  /** Where something was repaired for the format, that is the first: `repair`. */
  readonly ladderSteps: readonly LadderStepGain[];
  readonly summary: SummaryFacts | null;
  readonly summariser: SummariserFacts;
  readonly validity: { readonly repairs: readonly Repair[]; readonly violations: readonly Violation[] };
  /** Distinct paths, URLs, identifiers … of the messages that are no longer shown whole, and how many are still named. */
  readonly facts: FactCount;
  readonly task: Words;
  readonly latestRequest: Words;
  /** A sentence each. */
  readonly warnings: readonly string[];
  /** Set when the outcome is `cannot-fit`. */
  readonly cannotFit: CannotFitFacts | null;
  readonly output: OutputFacts | null;
  /** What could not be read or understood, with its place. */
  readonly notes: readonly { readonly line?: number; readonly note: string }[];
}

interface CompactionWindow {
  readonly tokens: number;
  readonly usableTokens: number;
  readonly triggerTokens: number;
  /** What a compaction aims at for all that the model has already seen. */
  readonly targetTokens: number;
  /** `option`, `model`, `log` or `recorded model`; `none` for an undo that nothing bounds. */
  readonly source: string;
  readonly model: string | null;
}

interface BeforeAfter {
  readonly before: number;
  readonly after: number;
}

export interface CategoryChange {
  readonly category: string;
  /** Messages for whole-message categories, parts for the others. */
  readonly count: BeforeAfter;
  readonly tokens: BeforeAfter;
}

interface LadderStepGain {
  readonly ladderStep: string;
  readonly what: string;
  readonly changes: number;
  readonly freedTokens: number;
  readonly afterTokens: number;
}

export interface SummaryFacts {
  /** The summary message as it would be sent. */
  readonly text: string;
  readonly by: 'model' | 'code' | 'none';
  readonly profile: string;
  readonly tokens: number;
  readonly archivedMessages: number;
}

interface SummariserFacts {
  /** The model that was asked. */
  readonly model: string | null;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Who wrote the summary and why, as a sentence. */
  readonly explanation: string;
}

export interface FactCount {
  readonly named: number;
  readonly kept: number;
  /** The same for facts that were mentioned more than once. */
  readonly namedOften: number;
  readonly keptOften: number;
}

/** Whether what the user said is still there: byte for byte, in part, or not. `none`: nothing was said. */
export type Words = 'verbatim' | 'truncated' | 'missing' | 'none';

interface CannotFitFacts {
  readonly usableTokens: number;
  readonly requestTokens: number;
  readonly parts: readonly MeasuredPart[];
}

export interface OutputFacts {
  /** `-` for standard output; `null` when only the state was written. */
  readonly file: string | null;
  readonly format: string;
  /** `null` beside standard output. */
  readonly stateFile: string | null;
  readonly losses: readonly Loss[];
}
