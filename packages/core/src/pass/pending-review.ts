import { applyLadderStep } from './pass.ts';
import { addWork } from './pending-summary.ts';
import { knownScale, learnedFrom, summariserTokens } from './summariser-scale.ts';
import { readDecisions } from '../stages/review/read-decisions.ts';
import { decidedChanges, reviewItems } from '../stages/review/review-items.ts';
import { itemsThatFit, requestsOf, reviewRequest } from '../stages/review/review-request.ts';
import { isContent } from '../strategies/strategy.ts';
import { positionOf } from '../transcript/conversation.ts';
import { fingerprintPart, fingerprintValue } from '../transcript/fingerprint.ts';
import type { Pass } from './pass.ts';
import type { Decision, ReviewFault } from '../stages/review/read-decisions.ts';
import type { ReviewItem } from '../stages/review/review-items.ts';
import type { ReviewFrame } from '../stages/review/review-request.ts';
import type { Answer, ModelRequest } from '../summary/model-request.ts';

/** One part of one message: its ordinal and the index of the part. */
type PartPlace = readonly [ordinal: number, part: number];

/** Decisions that a model is making. Plain JSON without messages: the history is handed in again. */
export interface PendingReview {
  /** What it decides about, in the order of its numbers. */
  readonly places: readonly PartPlace[];
  /** The key of these parts: with another one the decisions are about something else. */
  readonly sourceKey: string;
  /** What was wrong with the last answer, while the retry is open. */
  readonly correction?: ReviewFault;
}

/** What the model is asked, and what is remembered until it answers. */
export interface ReviewQuestion {
  readonly pass: Pass;
  readonly request: ModelRequest;
  readonly pending: PendingReview;
}

// Half of it is to go: below this a question and a new prefix are not worth it.
const leastTokens = 400;

/** The first question; the pass itself where too little is up for decision, or the model's window too small to ask. */
export function beginReview(pass: Pass, focus: string | undefined): ReviewQuestion | Pass {
  const frame = frameOf(pass, focus);
  const items = itemsThatFit(reviewItems(pass), frame);
  if (items.reduce((sum, { view }) => sum + view.tokens, 0) < leastTokens) return pass;
  return ask(pass, items, frame);
}

/**
 * Goes on with a review. An answer that cannot be read is asked for once more, with what was wrong; then, and where the
 * model could not be asked, the view stays as it is for the next ladder step. What the answer cost counts in every case.
 *
 * @returns the next question, or the pass; `hasUsedReview` says whether the decisions have changed its view
 */
export function continueReview(
  pass: Pass,
  pending: PendingReview,
  answer: Answer,
  focus: string | undefined,
): ReviewQuestion | Pass {
  const items = itemsByPlace(pass, pending.places);
  const request = reviewRequest([...items.values()], {
    ...frameOf(pass, focus),
    correction: pending.correction,
  });
  const counted = withAnswer(pass, request, answer);
  if (answer.type === 'failed') {
    return answer.cause === 'cancelled' ? counted : reviewed(counted, answer.cause);
  }
  const read = readDecisions(answer, pending.places.length);
  if (read.ok) return carriedOut(counted, items, read.decisions);
  if (pending.correction === undefined && items.size > 0)
    return ask(counted, [...items.values()], { ...frameOf(counted, focus), correction: read.fault });
  return reviewed(counted, read.fault);
}

/** Whether decisions have changed the view. Else the next ladder step has all to do. */
export function hasUsedReview({ summariser }: Pass): boolean {
  return summariser.review === used;
}

const used = 'used';

/** Whether the history has changed so that the decisions are about something else. */
export function isReviewStale({ transcript }: Pass, { places, sourceKey }: PendingReview): boolean {
  return sourceKeyOf(transcript.conversation, places) !== sourceKey;
}

type Conversation = Pass['transcript']['conversation'];

function sourceKeyOf(conversation: Conversation, places: readonly PartPlace[]): string {
  const fingerprints = places.map(([ordinal, part]) => {
    const entry = conversation.entries.at(positionOf(conversation, ordinal));
    return entry?.ordinal === ordinal ? (fingerprintPart(entry, part) ?? '') : '';
  });
  return fingerprintValue([places, fingerprints]);
}

function frameOf(pass: Pass, focus: string | undefined): ReviewFrame {
  const { estimator } = pass.transcript;
  return { estimator, limitTokens: summariserTokens(pass), requests: requestsOf(pass.view), focus };
}

function ask(pass: Pass, items: readonly ReviewItem[], frame: ReviewFrame): ReviewQuestion {
  const places = items.map(({ view }): PartPlace => [view.item.entry.ordinal, view.index]);
  const { correction } = frame;
  return {
    pass,
    request: reviewRequest(items, frame),
    pending: {
      places,
      sourceKey: sourceKeyOf(pass.transcript.conversation, places),
      ...(correction === undefined ? {} : { correction }),
    },
  };
}

/** What is up for decision now, by what the model was asked: a message that was pinned meanwhile is missing. */
function itemsByPlace(pass: Pass, places: readonly PartPlace[]): ReadonlyMap<number, ReviewItem> {
  const known = new Map<string, ReviewItem>();
  for (const item of reviewItems(pass)) {
    known.set(`${item.view.item.entry.ordinal}.${item.view.index}`, item);
  }
  const found = new Map<number, ReviewItem>();
  places.forEach(([ordinal, part], index) => {
    const item = known.get(`${ordinal}.${part}`);
    if (item) found.set(index + 1, item);
  });
  return found;
}

function carriedOut(
  pass: Pass,
  items: ReadonlyMap<number, ReviewItem>,
  decisions: readonly Decision[],
): Pass {
  const { changes, dropped, replaced } = decidedChanges(pass, decisions, (index) => items.get(index));
  const pruned = applyLadderStep(pass, 'review', changes, `${dropped} dropped, ${replaced} replaced`);
  if (pruned.view.tokens >= pass.view.tokens) return reviewed(pass, 'no-gain');
  return isContent(pass.policy.strategy, pass.view, pruned.view)
    ? reviewed(pruned, used)
    : reviewed(pass, 'refused-by-strategy');
}

function withAnswer(pass: Pass, request: ModelRequest, answer: Answer): Pass {
  const learned = learnedFrom(knownScale(pass), { request, answer }, pass.transcript.estimator);
  const usage = answer.type === 'text' ? answer.usage : undefined;
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  const work = { calls: 1, inputTokens, outputTokens, fallback: null, review: null, learned };
  return { ...pass, summariser: addWork(pass.summariser, work) };
}

/** @param review `used`, or why not */
function reviewed(pass: Pass, review: string): Pass {
  return { ...pass, summariser: { ...pass.summariser, review } };
}
