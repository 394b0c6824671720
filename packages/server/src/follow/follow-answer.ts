import { ContextError } from '@throughline/core';
import { findLastEvent } from './find-event.ts';
import type { AgentEvent, AgentSession, RunOutcome } from '@throughline/agent';
import type { SessionStore } from '@throughline/ports';

/** Why nothing more comes of an answer. */
export type AnswerEnd =
  | { readonly type: 'run-ended'; readonly outcome: RunOutcome }
  /** Another message was taken into the run: what follows answers that one. */
  | { readonly type: 'next-message' }
  /** The message was taken out of the queue before anybody took it up. */
  | { readonly type: 'removed' }
  /** The run it waited for came to no natural end: it waits until somebody goes on. */
  | { readonly type: 'held'; readonly outcome: RunOutcome }
  /** The session was deleted. */
  | { readonly type: 'deleted' }
  /** Who reads is gone, or the server stops. */
  | { readonly type: 'cut' };

/** What happens while a message is answered, and at last how it ended. */
export type AnswerStep =
  | { readonly type: 'event'; readonly event: AgentEvent }
  | { readonly type: 'end'; readonly end: AnswerEnd };

interface FollowOptions {
  readonly session: AgentSession;
  readonly store: Pick<SessionStore, 'inbox'>;
  readonly signal: AbortSignal;
}

/**
 * Everything that happens from the moment a message is taken up until it is answered: its run has ended, or another
 * message was taken into the run.
 *
 * @param sent `after`: a number of an event before it was sent. `isQueued`: a run was busy.
 */
export function followMessage(options: FollowOptions, sent: SentMessage): AsyncIterable<AnswerStep> {
  return untilDeleted(messageSteps(options, sent));
}

interface SentMessage {
  readonly id: string;
  readonly after: number;
  readonly isQueued: boolean;
}

async function* messageSteps(
  { session, store, signal }: FollowOptions,
  sent: SentMessage,
): AsyncGenerator<AnswerStep, void, undefined> {
  const { id, after, isQueued } = sent;
  for await (const event of session.events({ after, signal })) {
    if (event.type === 'message:dequeued' && event.data.ids.includes(id))
      return yield* answerSteps({ session, signal }, event.seq - 1);
    if (event.type === 'message:removed' && event.data.id === id) return yield ended({ type: 'removed' });
    if (!isQueued || event.type !== 'run:end' || event.data.outcome.type === 'completed') continue;
    const item = await store.inbox.item(session.id, id);
    if (item?.state === 'accepted' && !session.isRunning)
      return yield ended({ type: 'held', outcome: event.data.outcome });
  }
  yield ended({ type: 'cut' });
}

/** The answer whose first event is the next one after `after`, to its end. */
export function followAnswer(
  options: Pick<FollowOptions, 'session' | 'signal'>,
  after: number,
): AsyncIterable<AnswerStep> {
  return untilDeleted(answerSteps(options, after));
}

async function* answerSteps(
  { session, signal }: Pick<FollowOptions, 'session' | 'signal'>,
  after: number,
): AsyncGenerator<AnswerStep, void, undefined> {
  let hasBegun = false;
  for await (const event of session.events({ after, signal })) {
    // What is taken before the model was asked is answered together.
    if (hasBegun && event.type === 'message:dequeued') return yield ended({ type: 'next-message' });
    hasBegun ||= event.type === 'step:start';
    yield { type: 'event', event };
    if (event.type === 'run:end') return yield ended({ type: 'run-ended', outcome: event.data.outcome });
  }
  yield ended({ type: 'cut' });
}

async function* untilDeleted(steps: AsyncIterable<AnswerStep>): AsyncGenerator<AnswerStep, void, undefined> {
  try {
    yield* steps;
  } catch (error) {
    if (!ContextError.is(error, 'not-found')) throw error;
    yield ended({ type: 'deleted' });
  }
}

function ended(end: AnswerEnd): AnswerStep {
  return { type: 'end', end };
}

/** Where an answer begins: at the message that is answered, or at a run that goes on without one. */
export interface AnswerStart {
  /** Number of its first event. */
  readonly seq: number;
  /** Names what is answered; the same each time it is asked for. */
  readonly answered: string;
}

/** The answer that an event of this number belongs to; `undefined` where none is under way there. */
export async function answerAt(
  store: Pick<SessionStore, 'journal'>,
  place: { readonly sessionId: string; readonly upTo: number },
): Promise<AnswerStart | undefined> {
  const begin = await findLastEvent(
    store.journal,
    place,
    ({ type }) => type === 'message:dequeued' || type === 'run:start' || type === 'run:end',
  );
  if (!begin || begin.type === 'run:end') return undefined;
  if (begin.type === 'message:dequeued') return { seq: begin.seq, answered: begin.data.messageId };
  // A run that goes on after a crash: the message it answers was taken before it died.
  const before = await findLastEvent(
    store.journal,
    { ...place, upTo: begin.seq - 1 },
    ({ type }) => type === 'message:dequeued' || type === 'run:end',
  );
  if (before?.type === 'message:dequeued') return { seq: before.seq, answered: before.data.messageId };
  return { seq: begin.seq, answered: begin.runId ?? String(begin.seq) };
}
