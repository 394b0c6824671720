import { isContent } from '../strategies/strategy.ts';
import { addWork } from './pending-fold.ts';
import { applyRung, stageInput } from './attempt.ts';
import { decidedChanges } from '../stages/review/decided-changes.ts';
import { fingerprintPart, fingerprintValue } from '../transcript/fingerprint.ts';
import { itemsThatFit, requestsOf, reviewRequest } from '../stages/review/review-request.ts';
import { positionOf } from '../transcript/conversation.ts';
import { readDecisions } from '../stages/review/read-decisions.ts';
import { reviewItems } from '../stages/review/review-items.ts';
import { knownScale, learnedFrom, summariserTokens } from './summariser-scale.ts';
import type { Answer, ModelRequest } from '../summary/model-request.ts';
import type { Attempt } from './attempt.ts';
import type { Decision, ReviewFault } from '../stages/review/read-decisions.ts';
import type { ReviewFrame } from '../stages/review/review-request.ts';
import type { ReviewItem } from '../stages/review/review-items.ts';

/** One part of one message: its ordinal and the index of the part. */
type PartPlace = readonly [ordinal: number, part: number];

/** Decisions that a model is making. Plain JSON without messages: the history is handed in again. */
export interface PendingReview {
  /** What it decides about, in the order of its numbers. */
  readonly places: readonly PartPlace[];
  /** Of these parts: with another one the decisions are about something else. */
  readonly sourceKey: string;
  /** What was wrong with the last answer, while the retry is open. */
  readonly correction?: ReviewFault;
}

/** What the model is asked, and what is remembered until it answers. */
export interface ReviewQuestion {
  readonly type: 'ask';
  readonly attempt: Attempt;
  readonly request: ModelRequest;
  readonly pending: PendingReview;
}

export type ReviewStep =
  | ReviewQuestion
  /** `isUsed`: the decisions have changed the view. Else the next rung has all to do. */
  | { readonly type: 'reviewed'; readonly attempt: Attempt; readonly isUsed: boolean }
  | { readonly type: 'cancelled'; readonly attempt: Attempt };

// Half of it is to go: below this a question and a new prefix are not worth it.
const leastTokens = 400;

/** The first question, or `undefined` where too little is up for decision, or the model's window too small to ask. */
export function beginReview(attempt: Attempt, focus: string | undefined): ReviewQuestion | undefined {
  const frame = frameOf(attempt, focus);
  const items = itemsThatFit(reviewItems(stageInput(attempt)), frame);
  if (items.reduce((sum, { view }) => sum + view.tokens, 0) < leastTokens) return undefined;
  return ask(attempt, items, frame);
}

/**
 * Goes on with a review. An answer that cannot be read is asked for once more, with what was wrong; then, and where the
 * model could not be asked, the view stays as it is for the next rung. What the answer cost counts in every case.
 */
export function continueReview(
  attempt: Attempt,
  pending: PendingReview,
  answer: Answer,
  focus: string | undefined,
): ReviewStep {
  const counted = withAnswer(attempt, pending, answer, focus);
  if (answer.type === 'failed') {
    return answer.cause === 'cancelled'
      ? { type: 'cancelled', attempt: counted }
      : unused(counted, answer.cause);
  }
  const read = readDecisions(answer, pending.places.length);
  if (read.ok) return carriedOut(counted, pending, read.decisions);
  if (pending.correction === undefined) {
    const items = [...itemsByPlace(counted, pending.places).values()];
    const frame = { ...frameOf(counted, focus), correction: read.fault };
    if (items.length > 0) return ask(counted, items, frame);
  }
  return unused(counted, read.fault);
}

/** Whether the history has changed so that the decisions are about something else. */
export function isReviewStale({ transcript }: Attempt, { places, sourceKey }: PendingReview): boolean {
  return sourceKeyOf(transcript.conversation, places) !== sourceKey;
}

type Conversation = Attempt['transcript']['conversation'];

function sourceKeyOf(conversation: Conversation, places: readonly PartPlace[]): string {
  const fingerprints = places.map(([ordinal, part]) => {
    const entry = conversation.entries.at(positionOf(conversation, ordinal));
    return entry?.ordinal === ordinal ? (fingerprintPart(entry, part) ?? '') : '';
  });
  return fingerprintValue([places, fingerprints]);
}

function frameOf(attempt: Attempt, focus: string | undefined): ReviewFrame {
  const { estimator } = attempt.transcript;
  return { estimator, limitTokens: summariserTokens(attempt), requests: requestsOf(attempt.view), focus };
}

function ask(attempt: Attempt, items: readonly ReviewItem[], frame: ReviewFrame): ReviewQuestion {
  const places = items.map(({ view }): PartPlace => [view.item.entry.ordinal, view.index]);
  const { correction } = frame;
  return {
    type: 'ask',
    attempt,
    request: reviewRequest(items, frame),
    pending: {
      places,
      sourceKey: sourceKeyOf(attempt.transcript.conversation, places),
      ...(correction === undefined ? {} : { correction }),
    },
  };
}

/** What is up for decision now, by what the model was asked: a message that was pinned meanwhile is missing. */
function itemsByPlace(attempt: Attempt, places: readonly PartPlace[]): ReadonlyMap<number, ReviewItem> {
  const known = new Map<string, ReviewItem>();
  for (const item of reviewItems(stageInput(attempt))) {
    known.set(`${item.view.item.entry.ordinal}.${item.view.index}`, item);
  }
  const found = new Map<number, ReviewItem>();
  places.forEach(([ordinal, part], index) => {
    const item = known.get(`${ordinal}.${part}`);
    if (item) found.set(index + 1, item);
  });
  return found;
}

function carriedOut(attempt: Attempt, { places }: PendingReview, decisions: readonly Decision[]): ReviewStep {
  const items = itemsByPlace(attempt, places);
  const { changes, dropped, replaced } = decidedChanges(stageInput(attempt), decisions, (index) =>
    items.get(index),
  );
  const reviewed = applyRung(attempt, 'review', changes, `${dropped} dropped, ${replaced} replaced`);
  if (reviewed.view.tokens >= attempt.view.tokens) return unused(attempt, 'no-gain');
  return isContent(attempt.policy.strategy, attempt.view, reviewed.view)
    ? { type: 'reviewed', attempt: ended(reviewed, 'used'), isUsed: true }
    : unused(attempt, 'refused-by-strategy');
}

function unused(attempt: Attempt, why: string): ReviewStep {
  return { type: 'reviewed', attempt: ended(attempt, why), isUsed: false };
}

function withAnswer(
  attempt: Attempt,
  pending: PendingReview,
  answer: Answer,
  focus: string | undefined,
): Attempt {
  const items = [...itemsByPlace(attempt, pending.places).values()];
  const request = reviewRequest(items, { ...frameOf(attempt, focus), correction: pending.correction });
  const learned = learnedFrom(knownScale(attempt), { request, answer }, attempt.transcript.estimator);
  const usage = answer.type === 'text' ? answer.usage : undefined;
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  const work = { calls: 1, inputTokens, outputTokens, fallback: null, review: null, learned };
  return { ...attempt, summariser: addWork(attempt.summariser, work) };
}

function ended(attempt: Attempt, review: string): Attempt {
  return { ...attempt, summariser: { ...attempt.summariser, review } };
}
