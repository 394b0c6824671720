import { budgetOf, lowestTarget, targetFor } from '../budget/budget.ts';
import { measuresOf, toActual } from '../budget/measures.ts';
import { isRangeChange } from '../changes/change.ts';
import { rememberPlaces, replay } from '../changes/replay.ts';
import { mergeChanges } from '../changes/merge-changes.ts';
import { patchView, seenTokens, unseenTokens } from '../changes/view.ts';
import { answeredSystemMessageTokens } from '../transcript/conversation.ts';
import { checkTranscript } from '../history/check-input.ts';
import { openView, rememberView } from './open-view.ts';
import { checkPolicy, toolLimitsOf } from './policy.ts';
import { noSummariser } from './report.ts';
import { parseState } from './state.ts';
import { tokenScaleOf } from './usage.ts';
import { boundReasoning } from '../stages/bound-reasoning.ts';
import { truncateResults } from '../stages/truncate-results.ts';
import { isOverWire, wireSize } from '../stages/wire-size.ts';
import { checkStrategy } from '../strategies/strategy.ts';
import type { Budget, BudgetInput } from '../budget/budget.ts';
import type { Measures, TokenScale } from '../budget/measures.ts';
import type { Change, PartLevelChange } from '../changes/change.ts';
import type { Policy } from './policy.ts';
import type { LadderStepReport, PassRequest, Report, SummariserWork } from './report.ts';
import type { ContextState } from './state.ts';
import type { Transcript } from '../history/transcript.ts';
import type { ToolLimits } from '../text/truncate-output.ts';
import type { StageInput } from '../stages/stage-input.ts';
import type { WireExcess } from '../stages/wire-size.ts';
import type { Conversation } from '../transcript/conversation.ts';

/**
 * A pass in the making: the view so far, the changes in force, and what each ladder step did. Immutable. Every stage works
 * on it.
 */
export interface Pass extends StageInput {
  readonly transcript: Transcript;
  readonly policy: Policy;
  /** As the step found it. */
  readonly state: ContextState;
  readonly tokenScale: TokenScale;
  readonly budget: Budget;
  /** Where it stops by its budget, in the provider's tokens; under a smaller trigger (`withTrigger`) it stops lower. */
  readonly targetTokens: number;
  readonly live: readonly Change[];
  /** Changes whose anchor the history has lost. */
  readonly skipped: readonly Change[];
  readonly ladderSteps: readonly LadderStepReport[];
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

/** What another pass goes on with. It measures as this one does: an exact count is not asked for twice. */
export type PassProgress = Pick<
  Pass,
  | 'live'
  | 'tokenScale'
  | 'ladderSteps'
  | 'summariser'
  | 'background'
  | 'startTokens'
  | 'notesTokens'
  | 'idleMs'
>;

/**
 * The view of a history under its state, measured, with every result in it truncated to its limits. What has no place in the
 * history any more is left out, and forgotten with the next state.
 *
 * @param start the work of another pass that this one goes on with. @default the changes of the state, nothing done yet
 */
export function openPass(
  transcript: Transcript,
  given: ContextState,
  policy: Policy,
  start: Partial<PassProgress> = {},
): Pass {
  checkTranscript(transcript);
  const state = parseState(given);
  const budget = budgetFor(state, policy);
  const { notesTokens = 0 } = start;
  const tokenScale = start.tokenScale ?? withNotes(tokenScaleOf(transcript, state), notesTokens);
  const { conversation } = transcript;
  const fixedTokens = fixedTokensOf({ transcript, tokenScale });
  const measuresAt = (targetTokens: number): Measures =>
    measuresOf(budget, tokenScale, { targetTokens, fixedTokens });
  const limitsOf = (toolName: string | undefined): ToolLimits => toolLimitsOf(policy, toolName);
  const told = toldToStages(transcript, policy, state);
  const { view, live, truncated, skipped, startTokens } = openView(
    conversation,
    start.live ?? state.changes,
    {
      done: state.truncation,
      truncateResults: (found, from) =>
        truncateResults(
          { ...told, view: found, measures: measuresAt(budget.targetTokens) },
          { from, limitsOf },
        ),
    },
  );
  const sound = withoutVoided(conversation, { live, view }, [...skipped, ...truncated], policy);
  const targetTokens = targetOn(budget, { transcript, tokenScale, view: sound.view });
  const opened: Pass = {
    ...told,
    transcript,
    policy,
    state,
    tokenScale,
    budget,
    targetTokens,
    measures: measuresAt(targetTokens),
    live: sound.live,
    view: sound.view,
    skipped,
    ladderSteps: start.ladderSteps ?? [],
    summariser: start.summariser ?? noSummariser,
    background: start.background ?? null,
    startTokens: start.startTokens ?? startTokens,
    idleMs: start.idleMs,
    notesTokens,
  };
  return truncated.length === 0
    ? opened
    : reported(opened, { ladderStep: 'truncate', detail: '', changes: truncated, before: startTokens });
}

/** What no ladder step changes of what the stages work on. */
function toldToStages(
  { estimator }: Transcript,
  { hasRecall = false, pins, injection = 'pair' }: Policy,
  { changes }: ContextState,
): Omit<StageInput, 'view' | 'measures'> {
  return { estimator, hasRecall, pins: new Set(pins), injection, began: changes };
}

/**
 * The view without the reasoning that what opening it did has voided: what was made behind a range that has lost its
 * place, or behind a result that was whole then.
 */
function withoutVoided(
  conversation: Conversation,
  { live, view }: Pick<Pass, 'live' | 'view'>,
  edits: readonly Change[],
  { reasoningBinding }: Policy,
): Pick<Pass, 'live' | 'view'> {
  const voided = boundReasoning(conversation, live, edits, reasoningBinding);
  if (voided.length === 0) return { live, view };
  const sound = [...live, ...voided];
  const patched = patchView(view, sound, voided);
  rememberPlaces(voided, conversation.entries);
  rememberView(sound, patched);
  return { live: sound, view: patched };
}

/** The notes stand beside the view: they are part of what every request costs anyway. */
function withNotes(tokenScale: TokenScale, notesTokens: number): TokenScale {
  return notesTokens === 0
    ? tokenScale
    : { ...tokenScale, offsetTokens: tokenScale.offsetTokens + tokenScale.slope * notesTokens };
}

/** Every limit of a session, by its policy and by what its model's errors have taught. */
export function budgetFor(state: ContextState, policy: Policy): Budget {
  checkPolicy(policy);
  checkStrategy(policy.strategy);
  return budgetOf(budgetInput(state, policy));
}

function budgetInput(state: ContextState, { budget, strategy }: Policy): BudgetInput {
  const learned = state.learnedWindow?.windowTokens ?? Infinity;
  return {
    ...budget,
    windowTokens: Math.min(budget.windowTokens, learned),
    triggerAt: (usable, window) => strategy.triggerAt(usable, window),
  };
}

/** What every request holds, in the provider's tokens: system text, tools, and the system messages that were answered. */
export function fixedTokensOf({ transcript, tokenScale }: Pick<Pass, 'transcript' | 'tokenScale'>): number {
  return toActual(tokenScale, answeredSystemMessageTokens(transcript.conversation));
}

/** Where a pass over this view stops, in the provider's tokens. */
function targetOn(budget: Budget, pass: Pick<Pass, 'transcript' | 'tokenScale' | 'view'>): number {
  const fixedTokens = fixedTokensOf(pass);
  const target = targetFor(budget, {
    unseenTokens: unseenTokens(pass.view) * pass.tokenScale.slope,
    fixedTokens,
  });
  return Math.max(target, leastTarget(budget, fixedTokens));
}

// Of the trigger: for the words of the user and the first lines of the state.
const leastRoomShare = 0.15;

/**
 * Where what is fixed exceeds a trigger that somebody has set far below the window, no pass gets below it: then the summary
 * keeps its room above what is fixed, as far as the window has it.
 */
function leastTarget({ triggerTokens, usableTokens }: Budget, fixedTokens: number): number {
  if (fixedTokens < triggerTokens) return 0;
  return Math.floor(Math.min(usableTokens, fixedTokens + triggerTokens * leastRoomShare));
}

/**
 * The pass with the limits of a smaller trigger: what the user asks to be compacted is treated as if it had just
 * reached the trigger, however much room there is. Who asks wants room, too: then the lowest target counts.
 */
export function withTrigger(
  pass: Pass,
  { triggerTokens, usableTokens, isForced }: Pick<PassRequest, 'triggerTokens' | 'usableTokens' | 'isForced'>,
): Pass {
  const { state, policy, tokenScale, budget } = pass;
  const input = budgetInput(state, policy);
  const least = Math.min(usableTokens ?? Infinity, input.maxInputTokens ?? Infinity);
  const smaller = budgetOf({
    ...input,
    thresholdTokens: Math.min(triggerTokens, input.thresholdTokens ?? Infinity),
    ...(least === Infinity ? {} : { maxInputTokens: least }),
  });
  const fixedTokens = fixedTokensOf(pass);
  const target = (of: Budget): number => (isForced ? lowestTarget(of, fixedTokens) : targetOn(of, pass));
  return {
    ...pass,
    targetTokens: target(budget),
    measures: measuresOf(smaller, tokenScale, { targetTokens: target(smaller), fixedTokens }),
  };
}

/** The pass with the limits of its budget: however often the user asks, nothing is squeezed that fits. */
export function withBudget(pass: Pass, targetTokens: number = pass.targetTokens): Pass {
  const { budget, tokenScale } = pass;
  const fixedTokens = fixedTokensOf(pass);
  return { ...pass, targetTokens, measures: measuresOf(budget, tokenScale, { targetTokens, fixedTokens }) };
}

/** The pass with the lowest target: for a moment when what it changes costs nothing. */
export function withLowestTarget(pass: Pass): Pass {
  return withBudget(pass, lowestTarget(pass.budget, fixedTokensOf(pass)));
}

/** The pass after one ladder step: its changes in force, its gain in the report. */
export function applyLadderStep(
  pass: Pass,
  ladderStep: LadderStepReport['ladderStep'],
  changes: readonly Change[],
  detail = '',
): Pass {
  if (changes.length === 0) return pass;
  const { conversation } = pass.transcript;
  const { began } = pass;
  const merged = mergeChanges(pass.live, changes, began);
  const bound = boundReasoning(conversation, merged, changes, pass.policy.reasoningBinding);
  const added = [...changes, ...bound];
  const live = bound.length === 0 ? merged : mergeChanges(merged, bound, began);
  rememberPlaces(added, conversation.entries);
  const view = added.some(isRangeChange)
    ? replay(conversation, live).view
    : patchView(pass.view, live, added as readonly PartLevelChange[]);
  rememberView(live, view);
  return reported({ ...pass, live, view }, { ladderStep, detail, changes: added, before: pass.view.tokens });
}

interface AppliedLadderStep {
  readonly ladderStep: LadderStepReport['ladderStep'];
  readonly detail: string;
  readonly changes: readonly Change[];
  /** Estimated tokens before it. */
  readonly before: number;
}

function reported(pass: Pass, { ladderStep, detail, changes, before }: AppliedLadderStep): Pass {
  const report: LadderStepReport = {
    ladderStep,
    detail,
    changes: changes.length,
    beforeTokens: Math.floor(toActual(pass.tokenScale, before)),
    afterTokens: Math.floor(toActual(pass.tokenScale, pass.view.tokens)),
  };
  return { ...pass, ladderSteps: [...pass.ladderSteps, report] };
}

/** Measured tokens of the next request. */
export function actualTokens({ tokenScale, view }: Pass): number {
  return toActual(tokenScale, view.tokens);
}

/** The same in whole tokens, as limits and reports count: a request that fits is told to fit. */
export function requestTokens(pass: Pass): number {
  return Math.floor(actualTokens(pass));
}

/** What the request weighs, where that is more than the provider takes. */
export function wireExcess({ policy, view }: Pass): WireExcess | undefined {
  if (!policy.wire) return undefined;
  const size = wireSize(view);
  return isOverWire(size, policy.wire) ? { ...size, ...policy.wire } : undefined;
}

/** Whether the request cannot be sent as it is: too many tokens, bytes or media. */
export function isTooBig(pass: Pass): boolean {
  return requestTokens(pass) > pass.budget.usableTokens || wireExcess(pass) !== undefined;
}

/** Nothing more needs to be done: what the model has seen is at the target, and the request below the trigger. */
export function isEnough({ view, measures }: Pass): boolean {
  return view.tokens <= measures.trigger && seenTokens(view) <= measures.target;
}
