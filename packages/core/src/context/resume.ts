import { badState, checkAnswerShape, checkTranscript } from '../history/check-input.ts';
import { checkRequest } from '../history/render-view.ts';
import { isObject } from '../json/json.ts';
import { finished } from './finish.ts';
import { upgradeWaiting } from '../pass/earlier-words.ts';
import { parseState } from '../pass/state.ts';
import { begin } from './prepare.ts';
import { isReviewStale } from '../pass/pending-review.ts';
import { isStale } from '../pass/pending-summary.ts';
import { openPass, withTrigger } from '../pass/pass.ts';
import { isCancelled, isModelNeeded, resumeLadder } from './ladder.ts';
import type { Answer } from '../summary/model-request.ts';
import type { Pass } from '../pass/pass.ts';
import type { Paused, Step } from './step.ts';
import type { Policy } from '../pass/policy.ts';
import type { Transcript } from '../history/transcript.ts';

/**
 * Goes on with a step that asked for a model. The history is handed in again and may have grown meanwhile; what is new
 * is truncated first. Whatever the answer is, the pass ends: an answer that is no good makes code write the summary,
 * or the next ladder step run, a cancelled one leaves the old view. Where the client has edited what was to be compacted or was
 * reviewed, the answer is about something else: the pass begins anew.
 *
 * @throws {ContextError} `bad-state` when `paused` is not from this version, `invalid-option` for an answer that is none,
 * `bad-wire-format` where the history has lost every message that can be sent.
 */
export function resume(transcript: Transcript, given: Paused, policy: Policy, answer: Answer): Step {
  checkTranscript(transcript);
  const paused = upgradeWaiting(given) as Paused;
  checkPaused(paused);
  checkAnswerShape(answer);
  const { passRequest } = paused;
  const pass = openPass(transcript, paused.state, policy, paused);
  checkRequest(transcript, pass.view);
  if (!isCancelled(answer) && isOutOfDate(pass, paused)) return begunAnew(transcript, paused, policy);
  const next = resumeLadder(withTrigger(pass, passRequest), paused, answer);
  if (isModelNeeded(next)) return next;
  return isCancelled(answer) ? asItWas(next) : finished(next, passRequest.reason);
}

function isOutOfDate(pass: Pass, { pending }: Paused): boolean {
  return pending.type === 'review' ? isReviewStale(pass, pending) : isStale(pass, pending);
}

type Holds = (value: unknown) => boolean;

/** What an object needs to be taken for what it says it is. */
const holds =
  (...names: readonly string[]): Holds =>
  (value) =>
    isObject(value) && names.every((name) => value[name] !== undefined);

const isNumber: Holds = (value) => typeof value === 'number' && Number.isFinite(value);
const pausedFields: { readonly [Name in keyof Required<Paused>]: Holds } = {
  version: (value) => value === 3,
  state: isObject,
  live: Array.isArray,
  ladderSteps: Array.isArray,
  nextLadderStep: isNumber,
  passRequest: holds('reason', 'triggerTokens'),
  pending: (value) =>
    holds('type', 'plan', 'chunkEnds', 'sourceKey')(value) || holds('type', 'places', 'sourceKey')(value),
  tokenScale: holds('offsetTokens', 'slope'),
  background: () => true,
  startTokens: isNumber,
  notesTokens: isNumber,
  idleMs: () => true,
  summariser: holds('calls', 'inputTokens', 'outputTokens'),
};

/** @throws {ContextError} `bad-state` for what is no paused step of this version. */
function checkPaused(paused: unknown): void {
  const expected = 'a paused step of version 3';
  if (!isObject(paused)) throw badState(expected, paused);
  const wrong = Object.entries(pausedFields).find(([name, fits]) => !fits(paused[name]));
  if (wrong)
    throw badState(expected, wrong[0] === 'version' ? paused['version'] : `one with another ${wrong[0]}`);
  parseState({ ...(paused['state'] as object), changes: paused['live'] });
}

/** The old view, with what the summariser has cost so far on the report; what it decided was not carried out. */
function asItWas({ transcript, state, policy, summariser, tokenScale, notesTokens, idleMs }: Pass): Step {
  const work = { ...summariser, review: null };
  return finished(openPass(transcript, state, policy, { summariser: work, tokenScale, notesTokens, idleMs }));
}

function begunAnew(transcript: Transcript, paused: Paused, policy: Policy): Step {
  const { state, notesTokens, idleMs } = paused;
  const { reason, focus } = paused.passRequest;
  // Any other reason the engine finds by itself again.
  const isAsked = reason === 'manual' || reason === 'provider-error' || reason === 'model-switch';
  return begin(openPass(transcript, state, policy, { notesTokens, idleMs }), {
    ...(isAsked && { reason }),
    ...(focus === undefined ? {} : { focus }),
  });
}
