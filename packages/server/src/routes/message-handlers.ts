import { createHash } from 'node:crypto';
import { ContextError } from '@throughline/core';
import { encodeSent } from '../encode/encode-sent.ts';
import { encodeWaiting } from '../encode/encode-message.ts';
import { endOfAnswer } from '../events/run-end.ts';
import { openOrCreate } from '../follow/open-or-create.ts';
import { replyTo, watchRunEnds } from './answer-message.ts';
import { sendEvents } from '../events/send-events.ts';
import { sessionOf, untilGone } from './handler.ts';
import type { AgentSession, RunOutcome, Sent } from '@throughline/agent';
import type { Around, Handlers } from './handler.ts';
import type * as wire from '@throughline/protocol/types';

type MessageHandlers = Pick<
  Handlers,
  'sendMessage' | 'listQueue' | 'clearQueue' | 'changeWaiting' | 'removeWaiting' | 'sendWaiting'
>;

export const messageHandlers: MessageHandlers = {
  async sendMessage({ body, query }, around) {
    const { sessionId, messageId, content } = body;
    const session =
      sessionId === undefined ? await newSession(around, messageId) : await sessionOf(around, sessionId);
    const before = await session.info();
    using runs = watchRunEnds(session);
    const sent = await session
      .send(content, messageId === undefined ? {} : { id: messageId })
      .catch(async (error: unknown) => {
        // What cannot be sent leaves no new session behind.
        if (sessionId === undefined) await deleteEmpty(session, around);
        throw error;
      });
    if (wantsEvents(around)) return streamAnswer(session, sent, before.lastEventSeq, around);
    const answer = encodeSent(sent, session.id);
    if (query.wait !== true || answer.queued) return { status: 202, body: answer };
    // A message that was sent before may have been answered before.
    const outcome =
      answer.runId === ''
        ? null
        : ((await endedBefore(answer.runId, session, around)) ??
          (await untilGone(runs.ended(answer.runId), around)));
    return { status: 200, body: { ...answer, outcome, reply: await replyTo(sent.id, session) } };
  },

  async listQueue({ query }, around) {
    return { status: 200, body: await queueOf(await sessionOf(around, query.sessionId)) };
  },

  async clearQueue({ query }, around) {
    const session = await sessionOf(around, query.sessionId);
    return { status: 200, body: { ok: true, removed: await session.queue.clear() } };
  },

  async changeWaiting({ params: { id }, query, body: { content, position } }, around) {
    const session = await sessionOf(around, query.sessionId);
    if (content !== undefined && !(await session.queue.edit(id, content))) throw notWaiting(id);
    if (position !== undefined && !(await session.queue.move(id, position))) throw notWaiting(id);
    return { status: 200, body: await queueOf(session) };
  },

  async removeWaiting({ params: { id }, query }, around) {
    const session = await sessionOf(around, query.sessionId);
    if (!(await session.queue.remove(id))) throw notWaiting(id);
    return { status: 200, body: { ok: true } };
  },

  async sendWaiting({ params: { id }, query }, around) {
    const session = await sessionOf(around, query.sessionId);
    const sent = await session.queue.sendNow(id);
    if (!sent) throw notWaiting(id);
    return { status: 202, body: encodeSent(sent, session.id) };
  },
};

/** How a run ended that is over; `undefined` while it goes on. */
async function endedBefore(
  runId: string,
  session: AgentSession,
  { services: { agent } }: Around,
): Promise<RunOutcome | undefined> {
  const runs = await agent.store.journal.runs(session.id);
  const run = runs.find((one) => one.id === runId);
  // What the agent stored of its own run.
  return run === undefined || run.endedAtMs === null ? undefined : (run.outcome as unknown as RunOutcome);
}

/**
 * A new session, or the one that the same message has begun before: somebody who got no answer sends it again. Its id is
 * made of owner and message, so that it is found after a restart, too.
 */
async function newSession({ services, caller }: Around, messageId?: string): Promise<AgentSession> {
  if (messageId === undefined) return await services.agent.create({ owner: caller.owner });
  const hash = createHash('sha256')
    .update(JSON.stringify([caller.owner, messageId]))
    .digest('hex');
  return await openOrCreate(services, caller, `session_${hash.slice(0, 32)}`);
}

async function deleteEmpty(session: AgentSession, { services: { agent } }: Around): Promise<void> {
  const [{ messageCount }, waiting] = await Promise.all([session.info(), session.queue.pendingCount()]);
  if (messageCount === 0 && waiting === 0) await agent.delete(session.id);
}

function wantsEvents({ context }: Around): boolean {
  return /\btext\/event-stream\b/i.test(context.req.header('accept') ?? '');
}

/** The events from before the message was sent until it is answered. */
function streamAnswer(
  session: AgentSession,
  sent: Sent,
  after: number,
  { context, streams }: Around,
): Response {
  const answer = sendEvents(context, (sink) =>
    streams.add({ sessionId: session.id, after, sink, isLast: endOfAnswer(sent.id) }),
  );
  // A new session has an id that nobody knows yet.
  answer.headers.set('x-session-id', session.id);
  return answer;
}

async function queueOf(session: AgentSession): Promise<wire.Queue> {
  const waiting = await session.queue.list();
  return { items: waiting.map((item) => encodeWaiting(item, session.id)) };
}

function notWaiting(id: string): ContextError<'not-found'> {
  return new ContextError('not-found', `No message ${id} waits (any more).`, {
    kind: 'waiting message',
    id,
    known: [],
  });
}
