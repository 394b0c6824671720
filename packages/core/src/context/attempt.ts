import { admit } from '../stages/admit.ts';
import { boundReasoning } from '../stages/bound-reasoning.ts';
import { budgetOf } from '../budget/budget.ts';
import { defaultLimitsOf } from '../stages/limit-output.ts';
import { extendView, seenTokens } from '../changes/view.ts';
import { gaugeOf } from './gauge-of.ts';
import { measuresOf } from '../budget/measures.ts';
import { mergeChanges } from '../changes/merge-changes.ts';
import { parseState } from './state.ts';
import { positionOf } from '../transcript/conversation.ts';
import { replay } from '../changes/replay.ts';
import { toActual } from '../budget/gauge.ts';
import type { Budget, BudgetInput } from '../budget/budget.ts';
import type { Change } from '../changes/change.ts';
import type { ContextState } from './state.ts';
import type { Gauge } from '../budget/gauge.ts';
import type { Measures } from '../budget/measures.ts';
import type { Policy } from './policy.ts';
import type { RungReport } from './report.ts';
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
  /** Estimated tokens of the view before anything was done. */
  readonly startTokens: number;
}

/** Views by the list of changes they are the replay of: a memory, never a source of truth. */
const views = new WeakMap<readonly Change[], View>();

export function openAttempt(transcript: Transcript, given: ContextState, policy: Policy): Attempt {
  const state = parseState(given);
  const budget = budgetOf(budgetInput(state, policy));
  const gauge = gaugeOf(transcript, state);
  const { view, skipped } = viewOf(transcript, state.changes);
  return {
    transcript,
    policy,
    state,
    gauge,
    budget,
    measures: measuresOf(budget, gauge),
    live: state.changes,
    view,
    skipped,
    rungs: [],
    startTokens: view.tokens,
  };
}

function budgetInput(state: ContextState, { budget, strategy }: Policy): BudgetInput {
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
export function withTrigger(attempt: Attempt, triggerTokens: number): Attempt {
  const input = budgetInput(attempt.state, attempt.policy);
  const smaller = budgetOf({
    ...input,
    thresholdTokens: Math.min(triggerTokens, input.thresholdTokens ?? Infinity),
  });
  return { ...attempt, measures: measuresOf(smaller, attempt.gauge) };
}

/** The view of a history under a list of changes; costs only what was appended since it was last asked for. */
export function viewOf(
  { conversation }: Transcript,
  changes: readonly Change[],
): { view: View; skipped: readonly Change[] } {
  const known = views.get(changes);
  if (known && conversation.entries.isExtensionOf(known.conversation.entries)) {
    const view = extendView(known, conversation);
    views.set(changes, view);
    return { view, skipped: [] };
  }
  const replayed = replay(conversation, changes);
  if (replayed.skipped.length === 0) views.set(changes, replayed.view);
  return replayed;
}

export function stageInput(attempt: Attempt): StageInput {
  const { view, measures, transcript, policy } = attempt;
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
  const merged = mergeChanges(attempt.live, changes).live;
  const bound = boundReasoning(
    attempt.transcript.conversation,
    merged,
    changes,
    attempt.policy.reasoningBinding,
  );
  const live = bound.length === 0 ? merged : mergeChanges(merged, bound).live;
  const { view } = viewOf(attempt.transcript, live);
  const report: RungReport = {
    rung,
    detail,
    changes: changes.length + bound.length,
    beforeTokens: Math.round(toActual(attempt.gauge, attempt.view.tokens)),
    afterTokens: Math.round(toActual(attempt.gauge, view.tokens)),
  };
  return { ...attempt, live, view, rungs: [...attempt.rungs, report] };
}

/** Rung 1, for every result that has not been through it. */
export function admitNew(attempt: Attempt): Attempt {
  const { conversation } = attempt.transcript;
  const ordinal = attempt.state.admittedEnd;
  const known = positionOf(conversation, ordinal);
  const newest = conversation.entries.at(conversation.entries.length - 1)?.ordinal ?? -1;
  if (ordinal > newest) return attempt;
  const from = known < 0 ? 0 : known;
  const limitsOf = attempt.policy.limitsOf ?? defaultLimitsOf;
  return applyRung(attempt, 'truncate', admit(stageInput(attempt), { from, limitsOf }));
}

/** Measured tokens of the next request. */
export function actualTokens({ gauge, view }: Attempt): number {
  return toActual(gauge, view.tokens);
}

/** Nothing more needs to be done: what the model has seen is at the low mark, and the request below the trigger. */
export function isEnough({ view, measures }: Attempt): boolean {
  return view.tokens <= measures.trigger && seenTokens(view) <= measures.low;
}
