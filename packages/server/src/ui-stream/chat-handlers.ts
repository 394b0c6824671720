import { ContextError } from '@throughline/core';
import { findLastEvent } from '../follow/find-event.ts';
import { answerAt, followAnswer, followMessage } from '../follow/follow-answer.ts';
import { dataFrame, sseResponse } from '../follow/sse-response.ts';
import { findMessageEvent } from '../events/run-end.ts';
import { ChatBranches } from './chat-branches.ts';
import { readChatRequest } from './chat-request.ts';
import { queuePart } from './ui-message.ts';
import { writeUiMessage } from './write-ui-message.ts';
import type { AgentSession } from '@throughline/agent';
import type { SessionStore } from '@throughline/ports';
import type { ServerContext } from '../server-env.ts';
import type { AnswerStart, AnswerStep } from '../follow/follow-answer.ts';
import type { Services } from '../services.ts';
import type { ChatBranch } from './chat-branches.ts';
import type { ChatRequest } from './chat-request.ts';
import type { UiChunk } from './ui-chunk.ts';

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

/** What the three paths of a chat answer with. */
export interface ChatHandlers {
  readonly send: (c: ServerContext) => Promise<Response>;
  readonly follow: (c: ServerContext, chatId: string) => Promise<Response>;
  readonly stop: (c: ServerContext, chatId: string) => Promise<Response>;
}

/** @param stopAfterMs how long a run goes on when its last reader has gone away */
export function chatHandlers(services: Services, stopAfterMs: number): ChatHandlers {
  const { agent } = services;
  const watch = new StreamWatch(stopAfterMs, (id) => void stopSession(services, id));
  return {
    async send(c) {
      const { chatId, ask } = readChatRequest(await c.var.readJson());
      const chat = await ChatBranches.of(services, c.var.caller, chatId);
      const shown =
        ask.type === 'message'
          ? await takeMessage(agent.store, chat, ask)
          : await answerApprovals(agent.store, (await knownBranch(chat, chatId, ask.seenIn)).session, ask);
      return streamOf(c, shown, watch);
    },
    async follow(c, chatId) {
      // A page asks before its first message, too: there is no session then.
      const chat = await ChatBranches.of(services, c.var.caller, chatId);
      for await (const branch of chat.all()) {
        const shown = await currentAnswer(agent.store, branch);
        if (shown) return streamOf(c, shown, watch);
      }
      return c.body(null, 204);
    },
    async stop(c, chatId) {
      const chat = await ChatBranches.of(services, c.var.caller, chatId);
      await knownBranch(chat, chatId, undefined);
      for await (const branch of chat.all()) await branch.session.cancel();
      return c.json({ success: true });
    },
  };
}

async function knownBranch(
  chat: ChatBranches,
  chatId: string,
  seenIn: string | undefined,
): Promise<ChatBranch> {
  const branch = await chat.at(seenIn);
  if (branch) return branch;
  const details = { kind: 'session', id: chatId, known: [] };
  throw new ContextError('not-found', `There is no session ${chatId}.`, details);
}

async function stopSession({ agent }: Services, id: string): Promise<void> {
  try {
    await (await agent.open(id)).cancel();
  } catch {
    // The session is gone meanwhile, and its run with it.
  }
}

type Ask<Type extends ChatRequest['ask']['type']> = Extract<ChatRequest['ask'], { type: Type }>;

/** What is said for the first time goes on with what the page has seen; anything else goes another way. */
async function takeMessage(store: SessionStore, chat: ChatBranches, ask: Ask<'message'>): Promise<Shown> {
  const { id, parts, again, seenIn } = ask;
  if (again === undefined) return await sendMessage(store, await chat.open(seenIn), ask);
  const begun = await begunAgain(store, chat, ask);
  if (begun) return await sendMessage(store, begun, ask);
  const from = await chat.holding(id, seenIn);
  if (!from) {
    const branch = await chat.open(seenIn);
    // It waits: nothing was answered yet.
    await branch.session.queue.edit(id, parts);
    return await sendMessage(store, branch, ask);
  }
  const branch = await chat.add((sessionId) => from.session.branch(from.storedId, parts, { id, sessionId }));
  return await sendMessage(store, branch, ask);
}

/** The newest branch, where it was made by this request and is still being answered: it has come twice. */
async function begunAgain(
  store: SessionStore,
  chat: ChatBranches,
  { id, parts, replaces }: Ask<'message'>,
): Promise<ChatBranch | undefined> {
  const newest = await chat.at(undefined);
  if (!newest || newest.number === 1 || !newest.session.isRunning) return undefined;
  if (replaces === answerIdIn(newest, id) || !(await store.inbox.item(newest.session.id, id)))
    return undefined;
  const said = (await store.history.find(newest.session.id, id))?.message.parts;
  return textIn(said ?? []) === textIn(parts) ? newest : undefined;
}

function textIn(parts: readonly { readonly type: string }[]): string {
  return parts.map((part) => ('text' in part ? part.text : '')).join('');
}

async function sendMessage(
  store: SessionStore,
  branch: ChatBranch,
  { id, parts }: Ask<'message'>,
): Promise<Shown> {
  const { session } = branch;
  const { lastEventSeq } = await session.info();
  const known = await store.inbox.item(session.id, id);
  // The same request once more: what it began is shown, from its beginning.
  if (known?.state === 'delivered') {
    const place = { sessionId: session.id, upTo: lastEventSeq, messageId: id };
    const taken = await findMessageEvent(store.journal, place);
    if (taken?.type === 'message:dequeued')
      return showAnswer(branch, { seq: taken.seq, answered: taken.data.messageId });
  }
  const sent = await session.send(parts, { id });
  return {
    session,
    messageId: answerIdIn(branch, id),
    steps: (signal) =>
      followMessage({ session, store, signal }, { id, after: lastEventSeq, isQueued: sent.isQueued }),
    head: sent.isQueued ? [queuePart({ state: 'waiting', position: sent.position })] : [],
  };
}

/** An answer that was made anew is another message than the one before it. */
function answerIdIn({ number }: ChatBranch, answered: string): string {
  return number === 1 ? `answer-${answered}` : `answer-${answered}.${number}`;
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
  const seq = start?.seq ?? position + 1;
  return { ...showFrom(session, seq), messageId: ask.messageId, after: position };
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

async function currentAnswer(store: SessionStore, branch: ChatBranch): Promise<Shown | undefined> {
  const { session } = branch;
  const { lastEventSeq, status } = await session.info();
  if (!session.isRunning && status === 'idle') return undefined;
  const start = await answerAt(store, { sessionId: session.id, upTo: lastEventSeq });
  return start && showAnswer(branch, start);
}

function showAnswer(branch: ChatBranch, { seq, answered }: AnswerStart): Shown {
  return { ...showFrom(branch.session, seq), messageId: answerIdIn(branch, answered) };
}

function showFrom(session: AgentSession, seq: number): Omit<Shown, 'messageId'> {
  return { session, steps: (signal) => followAnswer({ session, signal }, seq - 1) };
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
    headers: { 'x-vercel-ai-ui-message-stream': 'v1', 'x-session-id': session.id },
    onCut: () => {
      cut.abort();
      watch.leave(session.id, true);
    },
  });
}

/**
 * Who reads the streams of which session. A reader that goes away may be a page that is loaded anew, or a user who has
 * stopped: only time tells, and `stop` is called where nobody has come back by then.
 */
class StreamWatch {
  readonly #readers = new Map<string, number>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #stopAfterMs: number;
  readonly #stop: (sessionId: string) => void;

  constructor(stopAfterMs: number, stop: (sessionId: string) => void) {
    this.#stopAfterMs = stopAfterMs;
    this.#stop = stop;
  }

  enter(sessionId: string): void {
    this.#readers.set(sessionId, (this.#readers.get(sessionId) ?? 0) + 1);
    clearTimeout(this.#timers.get(sessionId));
    this.#timers.delete(sessionId);
  }

  /** @param isCut it went away before the end */
  leave(sessionId: string, isCut: boolean): void {
    const left = (this.#readers.get(sessionId) ?? 1) - 1;
    if (left > 0) {
      this.#readers.set(sessionId, left);
      return;
    }
    this.#readers.delete(sessionId);
    if (!isCut || this.#stopAfterMs === Infinity) return;
    const timer = setTimeout(() => {
      this.#timers.delete(sessionId);
      this.#stop(sessionId);
    }, this.#stopAfterMs);
    timer.unref();
    this.#timers.set(sessionId, timer);
  }
}
