import { createHash, randomUUID } from 'node:crypto';
import { ContextError } from '@throughline/core';
import { Hono } from 'hono';
import { findLastEvent } from '../follow/find-event.ts';
import { answerAt, followAnswer, followMessage, startOf } from '../follow/follow-answer.ts';
import { openOrCreate } from '../follow/open-or-create.ts';
import { dataFrame, sseResponse } from '../follow/sse-response.ts';
import { openSession } from '../services.ts';
import { readChatRequest } from './chat-request.ts';
import { StreamWatch } from './stream-watch.ts';
import { queuePart } from './ui-message.ts';
import { writeUiMessage } from './write-ui-message.ts';
import type { AgentSession } from '@throughline/agent';
import type { SessionStore } from '@throughline/ports';
import type { ServerContext, ServerEnv } from '../server-env.ts';
import type { AnswerStart, AnswerStep } from '../follow/follow-answer.ts';
import type { Services } from '../services.ts';
import type { ChatRequest } from './chat-request.ts';
import type { UiChunk } from './ui-chunk.ts';

export interface UiStreamOptions {
  /**
   * How long a run goes on when its last reader has gone away before the end: a page that is loaded anew comes back.
   * `Infinity`: to its end. @default 5 000
   */
  readonly stopAfterMs?: number;
}

/** An answer that a stream is to show. */
interface Shown {
  readonly session: AgentSession;
  /** Says the same to every client that asks for the same answer. */
  readonly messageId: string;
  readonly steps: (signal: AbortSignal) => AsyncIterable<AnswerStep>;
  /** Before everything else. */
  readonly head?: readonly UiChunk[];
  /** The client has what came up to this number. */
  readonly after?: number;
}

/** The UI message stream of the AI SDK, version 1: what `useChat` and `DefaultChatTransport` speak. */
export function uiStreamRoutes(
  services: Services,
  { stopAfterMs = 5_000 }: UiStreamOptions = {},
): Hono<ServerEnv> {
  const { agent } = services;
  const watch = new StreamWatch(stopAfterMs, (id) => void stopSession(services, id));
  return new Hono<ServerEnv>()
    .post('/api/chat', async (c) => {
      const { chatId, ask } = readChatRequest(await c.var.readJson());
      const { caller } = c.var;
      const shown =
        ask.type === 'message'
          ? await sendMessage(agent.store, await openOrCreate(services, caller, chatId), ask)
          : await answerApprovals(agent.store, await openSession(services, caller, chatId), ask);
      return streamOf(c, shown, watch);
    })
    .get('/api/chat/:id/stream', async (c) => {
      // A page asks before its first message, too: there is no session then.
      const session = await openSession(services, c.var.caller, c.req.param('id')).catch(ignoreMissing);
      const shown = session && (await currentAnswer(agent.store, session));
      return shown ? streamOf(c, shown, watch) : c.body(null, 204);
    })
    .post('/api/chat/:id/stop', async (c) => {
      const session = await openSession(services, c.var.caller, c.req.param('id'));
      await session.cancel();
      return c.json({ success: true });
    });
}

function ignoreMissing(error: unknown): undefined {
  if (!ContextError.is(error, 'not-found')) throw error;
}

async function stopSession({ agent }: Services, id: string): Promise<void> {
  try {
    await (await agent.open(id)).cancel();
  } catch {
    // The session is gone meanwhile, and its run with it.
  }
}

type Ask<Type extends ChatRequest['ask']['type']> = Extract<ChatRequest['ask'], { type: Type }>;

async function sendMessage(store: SessionStore, session: AgentSession, ask: Ask<'message'>): Promise<Shown> {
  const id = idOf(ask);
  const { lastEventSeq } = await session.info();
  const known = await store.inbox.item(session.id, id);
  // The same request once more: what it began is shown, from its beginning.
  if (known?.state === 'delivered') {
    const place = { sessionId: session.id, upTo: lastEventSeq };
    const taken = await findLastEvent(
      store.journal,
      place,
      ({ type, data }) => type === 'message:dequeued' && 'ids' in data && data.ids.includes(id),
    );
    if (taken?.type === 'message:dequeued')
      return showAnswer(session, startOf(taken.seq, taken.data.messageId));
  }
  const sent = await session.send(ask.parts, { id });
  return {
    session,
    messageId: startOf(0, id).messageId,
    steps: (signal) =>
      followMessage({ session, store, signal }, { id, after: lastEventSeq, isQueued: sent.isQueued }),
    head: sent.isQueued ? [queuePart({ state: 'waiting', position: sent.position })] : [],
  };
}

/** A message that is sent anew needs an id of its own; the same request twice has the same one. */
function idOf({ id, parts, again, replaces }: Ask<'message'>): string {
  if (again === undefined) return id;
  if (again === 'regenerated' && replaces === undefined) return `${id.slice(0, 160)}-${randomUUID()}`;
  const what = again === 'edited' ? JSON.stringify(parts) : replaces;
  const mark = createHash('sha256').update(`${again}:${what}`).digest('hex').slice(0, 16);
  return `${id.slice(0, 160)}-${mark}`;
}

async function answerApprovals(
  store: SessionStore,
  session: AgentSession,
  ask: Ask<'approvals'>,
): Promise<Shown> {
  const { lastEventSeq } = await session.info();
  const asked = new Set(ask.answers.map(({ id }) => id));
  const position =
    ask.position ??
    (
      await findLastEvent(
        store.journal,
        { sessionId: session.id, upTo: lastEventSeq },
        ({ type, data }) => type === 'approval:requested' && 'request' in data && asked.has(data.request.id),
      )
    )?.seq ??
    lastEventSeq;
  const start = await answerAt(store, { sessionId: session.id, upTo: Math.min(position, lastEventSeq) });
  for (const { id, answer } of ask.answers) await session.approvals.answer(id, answer);
  // The process that asked may have died: then nobody waits for the answer.
  if (!session.isRunning) await session.resume();
  // Nothing is under way that would ever be told.
  if (!start && !session.isRunning) throw noSuchApproval(ask);
  const from = start ?? startOf(position + 1, ask.messageId);
  return { ...showAnswer(session, { ...from, messageId: ask.messageId }), after: position };
}

function noSuchApproval({ answers }: Ask<'approvals'>): ContextError<'not-found'> {
  const id = answers
    .map((one) => one.id)
    .join(', ')
    .slice(0, 200);
  return new ContextError('not-found', `Nothing waits for an answer to ${id}.`, {
    kind: 'approval',
    id,
    known: [],
  });
}

async function currentAnswer(store: SessionStore, session: AgentSession): Promise<Shown | undefined> {
  const { lastEventSeq, status } = await session.info();
  if (!session.isRunning && status === 'idle') return undefined;
  const start = await answerAt(store, { sessionId: session.id, upTo: lastEventSeq });
  return start && showAnswer(session, start);
}

function showAnswer(session: AgentSession, { seq, messageId }: AnswerStart): Shown {
  return { session, messageId, steps: (signal) => followAnswer({ session, signal }, seq - 1) };
}

function streamOf(c: ServerContext, shown: Shown, watch: StreamWatch): Response {
  const { session, messageId, steps, head = [], after = 0 } = shown;
  const cut = new AbortController();
  const { stopping } = c.var;
  const signal = AbortSignal.any([cut.signal, ...(stopping ? [stopping] : [])]);
  watch.enter(session.id);
  const frames = async function* (): AsyncGenerator<string, void, undefined> {
    for await (const chunk of writeUiMessage(steps(signal), {
      id: messageId,
      sessionId: session.id,
      head,
      after,
    }))
      yield dataFrame(chunk);
    yield 'data: [DONE]\n\n';
    watch.leave(session.id, false);
  };
  return sseResponse(frames(), {
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    onCut: () => {
      cut.abort();
      watch.leave(session.id, true);
    },
  });
}
