import { ContextError } from '@throughline/core';
import { findLastEvent } from './find-event.ts';
import type { AgentEvent, AgentEvents, AgentSession, RunOutcome, TokenUsage } from '@throughline/agent';
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

/** What a chunk adds to what was told of its part before. */
interface ChunkDelta {
  /** Names the part. */
  readonly id: string;
  readonly isFirst: boolean;
  readonly delta: string;
  readonly isLast: boolean;
}

/**
 * Tells of each chunk only what is new. A part comes in pieces and then whole; who reads late gets fewer pieces or none,
 * because the whole takes their place in the journal.
 */
export class ChunkDeltas {
  readonly #told = new Map<string, number>();

  take({ messageId, part, content, isComplete }: AgentEvents['llm:chunk']): ChunkDelta {
    const id = `${messageId}.${part}`;
    const told = this.#told.get(id);
    const delta = isComplete === true ? content.slice(told ?? 0) : content;
    if (isComplete === true) this.#told.delete(id);
    else this.#told.set(id, (told ?? 0) + content.length);
    return { id, isFirst: told === undefined, delta, isLast: isComplete === true };
  }
}

/** The sum of what the provider counted for the steps of an answer; `undefined` while it has counted nothing. */
export function addUsage(sum: TokenUsage | undefined, step: TokenUsage | null): TokenUsage | undefined {
  if (!step || !sum) return step ?? sum;
  return {
    input: sum.input + step.input,
    output: sum.output + step.output,
    reasoning: sum.reasoning + step.reasoning,
    cacheRead: sum.cacheRead + step.cacheRead,
    cacheWrite: sum.cacheWrite + step.cacheWrite,
    total: sum.total + step.total,
  };
}

type Texts = {
  readonly [Type in RunOutcome['type']]: (outcome: Extract<RunOutcome, { type: Type }>) => string | undefined;
};

const texts: Texts = {
  completed: () => undefined,
  cancelled: () => undefined,
  limit: () => undefined,
  failed: ({ failure }) => failure.message,
  'cannot-fit': ({ requestTokens, usableTokens, refusal }) =>
    refusal?.message ??
    `The request needs ${requestTokens} tokens, and ${usableTokens} of the window are usable: nothing is left that could be compacted.`,
  lost: () => 'Another process has taken the session over.',
  broken: ({ message }) => message,
};

/** What went wrong, for people; `undefined` of a run that came to an end. */
export function faultOf<Type extends RunOutcome['type']>(
  outcome: Extract<RunOutcome, { type: Type }>,
): string | undefined {
  const text: Texts[Type] = texts[outcome.type];
  return text(outcome);
}
