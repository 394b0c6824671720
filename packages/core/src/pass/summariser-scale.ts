import { budgetOf } from '../budget/budget.ts';
import { learnWindow } from './usage.ts';
import { isSlope } from '../tokens/calibration.ts';
import type { Pass } from './pass.ts';
import type { LearnedScale } from './report.ts';
import type { ContextState } from './state.ts';
import type { SummaryLimits } from '../summary/collect-summary.ts';
import type { Answer, ModelRequest } from '../summary/model-request.ts';
import type { Estimator } from '../tokens/estimator.ts';

const unknown: LearnedScale = { slope: null, windowTokens: null };

// What the driver may allow a reasoning model beside the visible answer, and how much of the window that is at most.
const reasoningTokens = 4_000;
const reasoningShare = 0.25;
// A share of what may be asked: the prose so far stands in every question, and the answer beside it.
const proseShare = 0.15;

/** The limits with no more prose than its writer has room for: its window may be far smaller than the session's. */
export function withinWindow(limits: SummaryLimits): SummaryLimits {
  const most = Math.max(leastProseTokens, Math.floor(limits.summariserTokens * proseShare));
  return {
    ...limits,
    proseTokens: Math.min(limits.proseTokens, most),
    proseTargetTokens: Math.min(limits.proseTargetTokens, most),
  };
}

const leastProseTokens = 120;

/**
 * Most a request to the summariser may cost, in the estimator's tokens: what its window leaves beside an answer and the
 * reasoning before it. The session's own model is measured as the session is.
 */
export function summariserTokens(pass: Pass, learned: LearnedScale = knownScale(pass)): number {
  const { tokenScale, budget } = pass;
  const ownTokens = ownWindow(pass);
  const windowTokens = Math.min(ownTokens ?? budget.windowTokens, learned.windowTokens ?? Infinity);
  const slope = learned.slope ?? tokenScale.slope;
  return usableOf(pass, windowTokens) / (ownTokens === undefined ? Math.max(slope, tokenScale.slope) : slope);
}

/** The state with what this pass has shown of the summariser; its window is the session's where it is the same model. */
export function withScale(
  state: ContextState,
  { policy: { summariser: asked }, summariser }: Pass,
): ContextState {
  const { learned } = summariser;
  if (!learned) return state;
  const known = { ...state, summariser: learned };
  const isSame = asked?.type === 'model' && asked.windowTokens === undefined;
  return isSame && learned.windowTokens !== null
    ? learnWindow(known, { windowTokens: learned.windowTokens })
    : known;
}

/** The window of a summariser that is not the session's own model. */
function ownWindow({ policy: { summariser } }: Pass): number | undefined {
  return summariser?.type === 'model' ? summariser.windowTokens : undefined;
}

function usableOf({ budget }: Pass, windowTokens: number): number {
  const outputReserveTokens = Math.floor(
    Math.min(reasoningTokens, windowTokens * reasoningShare) +
      Math.min(budget.summaryTokens, windowTokens * proseShare),
  );
  return budgetOf({ windowTokens, outputReserveTokens }).usableTokens;
}

/** What is known of the summariser in this pass. */
export function knownScale({ state, summariser }: Pick<Pass, 'state' | 'summariser'>): LearnedScale {
  return summariser.learned ?? state.summariser ?? unknown;
}

/**
 * What is known after an answer. A request that stands alone is all that its server has counted; one behind the
 * session's messages says nothing of the scale.
 */
export function learnedFrom(
  known: LearnedScale,
  { request, answer }: { readonly request: ModelRequest; readonly answer: Answer },
  estimator: Estimator,
): LearnedScale {
  const named = answer.type === 'failed' ? answer.limitTokens : undefined;
  const counted = answer.type === 'failed' ? answer.promptTokens : answer.usage?.inputTokens;
  // What is refused is sometimes counted only up to the limit: it may be more, and is never less.
  const least = answer.type === 'failed' ? (known.slope ?? 0) : 0;
  const slope = Math.max(least, (counted ?? 0) / Math.max(1, tokensOf(request, estimator)));
  const isCounted = request.cachedPrefix === undefined && isSlope(slope);
  const isNamed = named !== undefined && named >= 1 && named < (known.windowTokens ?? Infinity);
  if (!isCounted && !isNamed) return known;
  return {
    slope: isCounted ? slope : known.slope,
    windowTokens: isNamed ? Math.floor(named) : known.windowTokens,
  };
}

function tokensOf({ system, messages }: ModelRequest, estimator: Estimator): number {
  return messages.reduce((sum, { content }) => sum + estimator.count(content), estimator.count(system));
}
