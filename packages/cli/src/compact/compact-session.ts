import { assess, windowFacts } from './assess.ts';
import { describeLadderStep, describeRepairs, explainSummary } from './describe.ts';
import { givenMessage, replay, sameMessage } from '@throughline/core/internal';
import { runStep } from '@throughline/ports';
import { showView } from './weigh-view.ts';
import type {
  Answer,
  CannotFit,
  Checkpoint,
  ModelRequest,
  Policy,
  Profile,
  Ready,
  Strategy,
} from '@throughline/core';
import type { LadderStepReport, Repair } from '@throughline/core/types';
import type { Compaction } from './compaction.ts';
import type { Driver } from '@throughline/ports';
import type { SessionHistory } from './history.ts';
import type { OpenedSession } from '../reading/open-session.ts';
import type { ShownView } from './weigh-view.ts';
import type { WindowChoice } from '../reading/find-window.ts';

/** How a session is to be compacted. */
export interface CompactSessionRequest {
  readonly window: WindowChoice;
  readonly strategy: Strategy;
  readonly profile: Profile;
  readonly pins: readonly number[];
  readonly focus?: string;
  /** The model that was named, and what asks it. */
  readonly model?: string;
  readonly driver?: Driver;
  readonly summariserWindowTokens: number;
  readonly signal?: AbortSignal;
  readonly onRequest: (call: number, purpose: ModelRequest['purpose']) => void;
}

/** What came of it: the report, and what is needed to write it down. */
export interface Compacted {
  readonly compaction: Compaction;
  /** `undefined` where it cannot fit. */
  readonly after: ShownView | undefined;
  readonly checkpoints: readonly Checkpoint[];
}

/** One manual compaction of a session, from what was remembered of it on. */
export async function compactSession(
  opened: OpenedSession,
  history: SessionHistory,
  wanted: CompactSessionRequest,
): Promise<Compacted> {
  const { transcript, state } = history;
  const { driver, signal, onRequest, focus } = wanted;
  const watched = driver && watch(driver);
  let calls = 0;
  const step = await runStep(transcript, state, policyOf(wanted), {
    reason: 'manual',
    onRequest: ({ purpose }) => onRequest((calls += 1), purpose),
    ...(signal ? { signal } : {}),
    ...(focus === undefined ? {} : { focus }),
    ...(watched ? { driver: watched.driver } : {}),
  });
  const before = showView(transcript, replay(transcript.conversation, state.changes).view, state);
  const after = step.type === 'ready' ? showView(transcript, step.view, step.state) : undefined;
  const compaction = report({
    opened,
    history,
    wanted,
    step,
    before,
    after,
    lastAnswer: watched?.lastAnswer(),
  });
  const checkpoint = step.type === 'ready' ? step.checkpoint : undefined;
  return { compaction, after, checkpoints: [...history.checkpoints, ...(checkpoint ? [checkpoint] : [])] };
}

function policyOf(wanted: CompactSessionRequest): Policy {
  const { strategy, window, profile, pins, driver, summariserWindowTokens } = wanted;
  return {
    strategy,
    budget: window.budget,
    profile,
    pins,
    ...(driver ? { summariser: { type: 'model', windowTokens: summariserWindowTokens } } : {}),
    ...(window.reasoningBinding && { reasoningBinding: window.reasoningBinding }),
  };
}

/** The driver, with what it said last. */
function watch(driver: Driver): { readonly driver: Driver; readonly lastAnswer: () => Answer | undefined } {
  let last: Answer | undefined;
  const complete: Driver['complete'] = async (request, options) => {
    last = await driver.complete(request, options);
    return last;
  };
  return { driver: { name: driver.name, complete }, lastAnswer: () => last };
}

interface Outcome {
  readonly opened: OpenedSession;
  readonly history: SessionHistory;
  readonly wanted: CompactSessionRequest;
  readonly step: Ready | CannotFit;
  /** What would have been sent without a compaction. */
  readonly before: ShownView;
  readonly after: ShownView | undefined;
  readonly lastAnswer: Answer | undefined;
}

function report({ opened, history, wanted, step, before, after, lastAnswer }: Outcome): Compaction {
  const { strategy, model, driver, window } = wanted;
  const { calls, inputTokens, outputTokens, fallback, review } = step.report.summariser;
  const assessed = assess(history, after ?? before);
  const isNew = step.type === 'ready' && step.report.wasCompacted;
  const wasOffered = driver !== undefined;
  const by = isNew ? (assessed.summary?.by ?? null) : null;
  const explanation = explainSummary({
    by,
    strategy: strategy.name,
    model,
    wasOffered,
    calls,
    fallback,
    review,
    lastAnswer,
  });
  return {
    ...identify(opened, history),
    window: {
      ...windowFacts(window, strategy.triggerAt(step.report.usableTokens, window.windowTokens)),
      targetTokens: step.report.targetTokens,
    },
    strategy: strategy.name,
    outcome: outcomeOf(history, step, after),
    percentOfUsable: Math.round(step.report.percent * 10) / 10,
    ...assessed,
    ...account({
      tokens: { before: step.report.tokens.before, after: step.report.tokens.final },
      ladderSteps: step.report.ladderSteps.map(gainOf),
      byCategory: assessed.byCategory,
      // What cannot fit is not sent: nothing of it was repaired.
      repairsBefore: after ? before.rendered.repairs : [],
      repairsAfter: after?.rendered.repairs ?? [],
    }),
    summariser: { model: wasOffered ? (model ?? null) : null, calls, inputTokens, outputTokens, explanation },
    warnings: step.report.warnings,
    cannotFit: step.type === 'cannot-fit' ? cannotFitOf(step) : null,
    output: null,
  };
}

function outcomeOf(
  { inForce }: SessionHistory,
  step: Outcome['step'],
  after: ShownView | undefined,
): Compaction['outcome'] {
  if (step.type === 'cannot-fit' || !after) return 'cannot-fit';
  if (step.changes.length > 0) return 'compacted';
  const { entries } = inForce.transcript.conversation;
  const { messages, repairs } = after.rendered;
  const isAsRead =
    repairs.length === 0 ||
    (messages.length === entries.length &&
      messages.every(({ message }, index) => {
        const entry = entries.at(index);
        return entry !== undefined && sameMessage(message, givenMessage(entry));
      }));
  return isAsRead ? 'unchanged' : 'repaired';
}

/** The fields that say what was worked on. */
export function identify(
  { file, recording, session, number, estimator }: OpenedSession,
  { source }: SessionHistory,
): Pick<Compaction, 'file' | 'format' | 'session' | 'estimator' | 'continuedFrom' | 'notes'> {
  return {
    file,
    format: recording.format,
    session: { number, id: session.id },
    estimator: estimator.name,
    continuedFrom: source?.path ?? null,
    notes: recording.notes,
  };
}

function gainOf(ladderStep: LadderStepReport): Compaction['ladderSteps'][number] {
  const { changes, beforeTokens, afterTokens } = ladderStep;
  return {
    ladderStep: ladderStep.ladderStep,
    what: describeLadderStep(ladderStep),
    changes,
    freedTokens: beforeTokens - afterTokens,
    afterTokens,
  };
}

function cannotFitOf({ usableTokens, requestTokens, parts }: CannotFit): Compaction['cannotFit'] {
  return { usableTokens, requestTokens, parts };
}

/** What the engine measured of a pass, and what was weighed of the messages themselves. */
interface Measured {
  /** As the engine counts them, with the error results that calls without a result get. */
  readonly tokens: Compaction['tokens'];
  readonly ladderSteps: Compaction['ladderSteps'];
  readonly byCategory: Compaction['byCategory'];
  /** What the messages need before they can be sent, as they were and as they are now. */
  readonly repairsBefore: readonly Repair[];
  readonly repairsAfter: readonly Repair[];
}

/**
 * The tokens of a pass from what was read to what would be sent. Where something was repaired, that is a step of its
 * own and comes first; what each step freed leads from one number to the other.
 */
function account(measured: Measured): Pick<Compaction, 'tokens' | 'ladderSteps'> {
  const { tokens, ladderSteps, byCategory, repairsBefore, repairsAfter } = measured;
  const isAsItWas = repairsBefore.length === 0 && repairsAfter.length === 0;
  if (isAsItWas) return { tokens, ladderSteps };
  const before = sumOf(byCategory.map(({ tokens: cost }) => cost.before));
  const after = sumOf(byCategory.map(({ tokens: cost }) => cost.after));
  const freedTokens = before - after - sumOf(ladderSteps.map((ladderStep) => ladderStep.freedTokens));
  const repairs = repairsAfter.length > 0 ? repairsAfter : repairsBefore;
  const what = describeRepairs(repairs);
  let left = before;
  const steps = [{ ladderStep: 'repair', what, changes: repairs.length, freedTokens }, ...ladderSteps];
  return {
    tokens: { before, after },
    ladderSteps: steps.map((step) => ({ ...step, afterTokens: (left -= step.freedTokens) })),
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
