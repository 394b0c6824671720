import { checkPolicy } from './check-policy.ts';
import { checkTranscript } from './check-input.ts';
import { admit } from '../stages/admit.ts';
import { boundReasoning } from '../stages/bound-reasoning.ts';
import { budgetOf } from '../budget/budget.ts';
import { checkStrategy } from '../strategies/check-strategy.ts';
import { defaultLimitsOf } from '../stages/limit-output.ts';
import { gaugeOf } from './gauge-of.ts';
import { isRangeChange, replay } from '../changes/replay.ts';
import { measuresOf } from '../budget/measures.ts';
import { mergeChanges } from '../changes/merge-changes.ts';
import { noSummariser } from './report.ts';
import { openView } from './open-view.ts';
import { parseState } from './state.ts';
import { patchView, seenTokens } from '../changes/view.ts';
import { rememberPlaces } from '../changes/known-places.ts';
import { rememberView } from './known-views.ts';
import { toActual } from '../budget/gauge.ts';
import type { Budget, BudgetInput } from '../budget/budget.ts';
import type { Climb } from './climb.ts';
import type { Change, PartLevelChange } from '../changes/change.ts';
import type { ContextState } from './state.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { Gauge } from '../budget/gauge.ts';
import type { Measures } from '../budget/measures.ts';
import type { Policy } from './policy.ts';
import type { Report, RungReport, SummariserWork } from './report.ts';
import type { StageInput } from '../stages/stage-input.ts';
import type { Transcript } from './transcript.ts';
import type { View } from '../changes/view.ts';

/** One pass in the making: the view so far, the changes in force, and what each rung did. Immutable. */
export interface Attempt {
  readonly transcript: Transcript;
  readonly policy: Policy;
  /** As the step found it. */
  readonly state: ContextState;
  readonly gauge: Gauge;
  readonly budget: Budget;
  readonly measures: Measures;
  readonly live: readonly Change[];
  readonly view: View;
  /** Changes whose anchor the history has lost. */
  readonly skipped: readonly Change[];
  readonly rungs: readonly RungReport[];
  /** What the summariser was asked in this pass. */
  readonly summariser: SummariserWork;
  /** What became of a summary that lay ready; `null` where there was none, or no need for it. */
  readonly background: Report['background'];
  /** Estimated tokens of the view before anything was done. */
  readonly startTokens: number;
  /** Since the last request was answered, where the host knows. */
  readonly idleMs: number | undefined;
  /** Estimated tokens of the notes that stand behind the view in this request. */
  readonly notesTokens: number;
}

/** Where a pass begins that goes on with another one's work. */
export interface AttemptStart {
  /** Changes in force. @default those of the state */
  readonly live?: readonly Change[];
  readonly gauge?: Gauge;
  readonly rungs?: readonly RungReport[];
  readonly summariser?: SummariserWork;
  readonly background?: Report['background'];
  /** @default those of the view as it is found */
  readonly startTokens?: number;
  /** @default 0 */
  readonly notesTokens?: number;
  readonly idleMs?: number | undefined;
}

/**
 * The view of a history under its state, measured, with every result in it admitted (rung 1). What has no place in the
 * history any more is left out, and forgotten with the next state.
 */
export function openAttempt(
  transcript: Transcript,
  given: ContextState,
  policy: Policy,
  start: AttemptStart = {},
): Attempt {
  checkTranscript(transcript);
  const state = parseState(given);
  const budget = budgetFor(state, policy);
  const { notesTokens = 0 } = start;
  const gauge = start.gauge ?? withNotes(gaugeOf(transcript, state), notesTokens);
  const measures = measuresOf(budget, gauge);
  const { conversation } = transcript;
  const limitsOf = policy.limitsOf ?? defaultLimitsOf;
  const { view, live, admitted, skipped, startTokens } = openView(conversation, start.live ?? state.changes, {
    done: state.admitted,
    admit: (found, from) =>
      admit(stageInput({ view: found, measures, transcript, policy }), { from, limitsOf }),
  });
  const sound = withoutVoided(conversation, { live, view }, [...skipped, ...admitted], policy);
  const opened: Attempt = {
    transcript,
    policy,
    state,
    gauge,
    budget,
    measures,
    live: sound.live,
    view: sound.view,
    skipped,
    rungs: start.rungs ?? [],
    summariser: start.summariser ?? noSummariser,
    background: start.background ?? null,
    startTokens: start.startTokens ?? startTokens,
    idleMs: start.idleMs,
    notesTokens,
  };
  return admitted.length === 0
    ? opened
    : reported(opened, { rung: 'truncate', detail: '', changes: admitted, before: startTokens });
}

/**
 * The view without the reasoning that what opening it did has voided: what was made behind a range that has lost its
 * place, or behind a result that was whole then.
 */
function withoutVoided(
  conversation: Conversation,
  { live, view }: Pick<Attempt, 'live' | 'view'>,
  edits: readonly Change[],
  { reasoningBinding }: Policy,
): Pick<Attempt, 'live' | 'view'> {
  const voided = boundReasoning(conversation, live, edits, reasoningBinding);
  if (voided.length === 0) return { live, view };
  const sound = [...live, ...voided];
  const patched = patchView(view, sound, voided);
  rememberPlaces(voided, conversation.entries);
  rememberView(sound, patched);
  return { live: sound, view: patched };
}

/** The notes stand beside the view: they are part of what every request costs anyway. */
function withNotes(gauge: Gauge, notesTokens: number): Gauge {
  return notesTokens === 0
    ? gauge
    : { ...gauge, offsetTokens: gauge.offsetTokens + gauge.slope * notesTokens };
}

/** Every limit of a session, by its policy and by what its model's errors have taught. */
export function budgetFor(state: ContextState, policy: Policy): Budget {
  checkPolicy(policy);
  return budgetOf(budgetInput(state, policy));
}

function budgetInput(state: ContextState, { budget, strategy: given }: Policy): BudgetInput {
  const strategy = checkStrategy(given);
  const learned = state.learnedWindow?.windowTokens ?? Infinity;
  return {
    ...budget,
    windowTokens: Math.min(budget.windowTokens, learned),
    triggerAt: (usable, window) => strategy.triggerAt(usable, window),
  };
}

/**
 * The attempt with the marks of a smaller trigger: what the user asks to be compacted is treated as if it had just
 * reached the trigger, however much room there is.
 */
export function withTrigger(
  attempt: Attempt,
  { triggerTokens, usableTokens }: Pick<Climb, 'triggerTokens' | 'usableTokens'>,
): Attempt {
  const input = budgetInput(attempt.state, attempt.policy);
  const least = Math.min(usableTokens ?? Infinity, input.maxInputTokens ?? Infinity);
  const smaller = budgetOf({
    ...input,
    thresholdTokens: Math.min(triggerTokens, input.thresholdTokens ?? Infinity),
    ...(least === Infinity ? {} : { maxInputTokens: least }),
  });
  return { ...attempt, measures: measuresOf(smaller, attempt.gauge) };
}

/** The attempt with the marks of its budget: however often the user asks, nothing is squeezed that fits. */
export function withBudget(attempt: Attempt): Attempt {
  return { ...attempt, measures: measuresOf(attempt.budget, attempt.gauge) };
}

export function stageInput({
  view,
  measures,
  transcript,
  policy,
}: Pick<Attempt, 'view' | 'measures' | 'transcript' | 'policy'>): StageInput {
  return {
    view,
    measures,
    estimator: transcript.estimator,
    hasRecall: policy.hasRecall ?? false,
    pins: new Set(policy.pins),
  };
}

/** The attempt after one rung: its changes in force, its gain on record. */
export function applyRung(
  attempt: Attempt,
  rung: RungReport['rung'],
  changes: readonly Change[],
  detail = '',
): Attempt {
  if (changes.length === 0) return attempt;
  const { conversation } = attempt.transcript;
  const began = attempt.state.changes;
  const merged = mergeChanges(attempt.live, changes, began).live;
  const bound = boundReasoning(conversation, merged, changes, attempt.policy.reasoningBinding);
  const added = [...changes, ...bound];
  const live = bound.length === 0 ? merged : mergeChanges(merged, bound, began).live;
  rememberPlaces(added, conversation.entries);
  const view = added.some(isRangeChange)
    ? replay(conversation, live).view
    : patchView(attempt.view, live, added as readonly PartLevelChange[]);
  rememberView(live, view);
  return reported({ ...attempt, live, view }, { rung, detail, changes: added, before: attempt.view.tokens });
}

interface RungDone {
  readonly rung: RungReport['rung'];
  readonly detail: string;
  readonly changes: readonly Change[];
  /** Estimated tokens before it. */
  readonly before: number;
}

function reported(attempt: Attempt, { rung, detail, changes, before }: RungDone): Attempt {
  const report: RungReport = {
    rung,
    detail,
    changes: changes.length,
    beforeTokens: Math.round(toActual(attempt.gauge, before)),
    afterTokens: Math.round(toActual(attempt.gauge, attempt.view.tokens)),
  };
  return { ...attempt, rungs: [...attempt.rungs, report] };
}

/** Measured tokens of the next request. */
export function actualTokens({ gauge, view }: Attempt): number {
  return toActual(gauge, view.tokens);
}

/** Nothing more needs to be done: what the model has seen is at the low mark, and the request below the trigger. */
export function isEnough({ view, measures }: Attempt): boolean {
  return view.tokens <= measures.trigger && seenTokens(view) <= measures.low;
}
