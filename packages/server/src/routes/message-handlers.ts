import { ContextError } from '@throughline/core';
import { encodeSent, encodeWaiting } from './encode.ts';
import { derivedId } from '../follow/named-session.ts';
import { endOfAnswer, findMessageEvent } from '../events/run-end.ts';
import { ignoreMissing } from '../services.ts';
import { sendEvents } from '../events/send-events.ts';
import { sessionOf, untilGone } from './handler.ts';
import type { AgentEvent, AgentSession, RunOutcome, Sent } from '@throughline/agent';
import type { Around, Handlers } from './handler.ts';
import type * as wire from '@throughline/protocol/types';
import type { StoredMessage } from '@throughline/ports';

type MessageHandlers = Pick<
  Handlers,
  'sendMessage' | 'listQueue' | 'clearQueue' | 'changeWaiting' | 'removeWaiting' | 'sendWaiting'
>;

export const messageHandlers: MessageHandlers = {
  async sendMessage({ body, query }, around) {
    const { messageId } = body;
    const sessionId = body.sessionId ?? newSessionId(around, messageId);
    const after = sessionId === undefined ? 0 : await placeBefore(sessionId, messageId, around);
    const { sent, session } = await send(body, sessionId, around);
    if (wantsEvents(around)) return streamAnswer(session, sent, after, around);
    const answer = encodeSent(sent, session.id);
    if (query.wait !== true || answer.queued) return { status: 202, body: answer };
    const outcome = answer.runId === '' ? null : await outcomeOf(answer.runId, session, around);
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

/** Sends to the session that is named, or to a new one: also to that which the same message has begun before. */
async function send(
  { sessionId, messageId, content }: wire.SendMessageRequest,
  newId: string | undefined,
  around: Around,
): Promise<{ readonly sent: Sent; readonly session: AgentSession }> {
  const options = messageId === undefined ? {} : { id: messageId };
  if (sessionId !== undefined) {
    const session = await sessionOf(around, sessionId);
    return { sent: await session.send(content, options), session };
  }
  const { agent } = around.services;
  const asked = { owner: around.caller.owner, ...(newId !== undefined && { id: newId }) };
  const sent = await agent.send(content, { ...options, session: asked });
  return { sent, session: await agent.open(sent.sessionId) };
}

/** How a run ends, or has ended: a message that was sent before may have been answered before. */
async function outcomeOf(runId: string, session: AgentSession, around: Around): Promise<RunOutcome> {
  // From here on an end is told; an earlier one is stored.
  using runs = watchRunEnds(session);
  const [run] = await around.services.agent.store.journal.runs(session.id, { id: runId });
  // What the agent stored of its own run.
  if (run && run.endedAtMs !== null) return run.outcome as unknown as RunOutcome;
  return await untilGone(runs.ended(runId), around);
}

/** Remembers how runs end, from before one was begun: it may be over before its id is known. */
function watchRunEnds(session: AgentSession): Disposable & {
  /** Resolves when this run has ended. */
  readonly ended: (runId: string) => Promise<RunOutcome>;
} {
  const outcomes = new Map<string, RunOutcome>();
  const waiting = new Map<string, (outcome: RunOutcome) => void>();
  const subscription = session.subscribe((event: AgentEvent) => {
    if (event.type !== 'run:end') return;
    const { runId, outcome } = event.data;
    outcomes.set(runId, outcome);
    waiting.get(runId)?.(outcome);
  });
  return {
    ended: (runId) =>
      new Promise((resolve) => {
        const outcome = outcomes.get(runId);
        if (outcome) resolve(outcome);
        else waiting.set(runId, resolve);
      }),
    [Symbol.dispose]: () => subscription[Symbol.dispose](),
  };
}

/** What the model said to a message: all of it up to the next message of the user. */
async function replyTo(messageId: string, session: AgentSession): Promise<string> {
  const behind: StoredMessage[] = [];
  let cursor: string | undefined;
  do {
    const page = await session.history(cursor === undefined ? {} : { cursor });
    const at = page.items.findLastIndex(
      ({ message }) => message.id === messageId || isPartOf(messageId, message),
    );
    behind.unshift(...page.items.slice(at + 1));
    if (at >= 0) return textOf(behind);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return '';
}

/** Several messages that waited became one. */
function isPartOf(messageId: string, { meta }: StoredMessage['message']): boolean {
  const originals = meta?.['originalMessages'];
  return (
    Array.isArray(originals) &&
    originals.some(
      (one: unknown) => typeof one === 'object' && one !== null && 'id' in one && one.id === messageId,
    )
  );
}

function textOf(messages: readonly StoredMessage[]): string {
  const next = messages.findIndex(
    ({ message }) => message.role === 'user' && message.meta?.kind === undefined,
  );
  const own = next === -1 ? messages : messages.slice(0, next);
  return own
    .filter(({ message }) => message.role === 'assistant')
    .flatMap(({ message }) => message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .join('\n\n');
}

/**
 * Somebody who got no answer sends the same message again: the id of the session that it begins is made of owner and
 * message, so that it is found after a restart, too.
 */
function newSessionId({ caller }: Around, messageId: string | undefined): string | undefined {
  return messageId === undefined ? undefined : derivedId('session', caller.owner, messageId);
}

/** The number behind which the events of a message come: of one that was sent before, as it came the first time. */
async function placeBefore(
  sessionId: string,
  messageId: string | undefined,
  { services: { agent }, caller }: Around,
): Promise<number> {
  const info = await agent.store.sessions.read(sessionId).catch(ignoreMissing);
  // Somebody else's is refused when the message is sent.
  if (info?.owner !== caller.owner) return 0;
  const { lastEventSeq: upTo } = info;
  if (messageId === undefined || !(await agent.store.inbox.item(sessionId, messageId))) return upTo;
  const told = await findMessageEvent(agent.store.journal, { sessionId, upTo, messageId });
  return told ? told.seq - 1 : upTo;
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
