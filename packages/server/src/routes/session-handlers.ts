import { encodePage, encodeSent, encodeSession } from './encode.ts';
import { findLastEvent } from '../follow/find-event.ts';
import { randomIds } from '@throughline/ports';
import { readImport } from '../imported/read-import.ts';
import { refuseBusy, sessionOf } from './handler.ts';
import { nameOfDefault } from '../services.ts';
import { RequestRefused } from '../problem-of.ts';
import type { AgentEventType } from '@throughline/agent';
import type { Handlers } from './handler.ts';
import type { SessionInfo, SessionStore } from '@throughline/ports';

type SessionHandlers = Pick<
  Handlers,
  | 'listSessions'
  | 'createSession'
  | 'getSession'
  | 'renameSession'
  | 'deleteSession'
  | 'forkSession'
  | 'branchSession'
  | 'exportSession'
  | 'importSession'
  | 'switchModel'
  | 'listModels'
>;

export const sessionHandlers: SessionHandlers = {
  async listSessions({ query }, { services: { agent }, caller }) {
    const page = await agent.store.sessions.list({ owner: caller.owner, ...query });
    return { status: 200, body: encodePage(page, encodeSession) };
  },

  async createSession({ body: { title, model } }, { services: { agent, models }, caller }) {
    const driver = model === undefined ? undefined : await models.driverNamed(model);
    const session = await agent.create({ owner: caller.owner, ...(title !== undefined && { title }) });
    if (driver) await session.switchModel(driver);
    return { status: 201, body: encodeSession(await session.info()) };
  },

  async getSession({ params: { id } }, around) {
    const session = await sessionOf(around, id);
    const [info, waitingCount, pending] = await Promise.all([
      session.info(),
      session.queue.pendingCount(),
      session.approvals.pending(),
    ]);
    // In this process, or in another.
    const isRunning = session.isRunning || info.status !== 'idle';
    const openStepAfterSeq = await openStep(around.services.agent.store, info);
    const pendingApprovals = pending.length;
    return {
      status: 200,
      body: { ...encodeSession(info), isRunning, waitingCount, pendingApprovals, openStepAfterSeq },
    };
  },

  async renameSession({ params: { id }, body: { title } }, around) {
    const session = await sessionOf(around, id);
    await session.rename(title);
    return { status: 200, body: encodeSession(await session.info()) };
  },

  async deleteSession({ params: { id } }, around) {
    await sessionOf(around, id);
    await around.services.agent.delete(id, { owner: around.caller.owner });
    around.streams.close('session-deleted', id);
    return { status: 200, body: { ok: true } };
  },

  async forkSession({ params: { id }, body }, around) {
    const session = await sessionOf(around, id);
    const forked = await session.fork(body);
    return { status: 201, body: encodeSession(await forked.info()) };
  },

  async branchSession({ params: { id }, body: { at, content, messageId, title } }, around) {
    const session = await sessionOf(around, id);
    const branch = await session.branch(at, content, {
      ...(messageId !== undefined && { id: messageId }),
      ...(title !== undefined && { title }),
    });
    const info = await branch.session.info();
    return {
      status: 202,
      body: { session: encodeSession(info), sent: encodeSent(branch.sent, branch.session.id) },
    };
  },

  async exportSession({ params: { id } }, around) {
    await sessionOf(around, id);
    const body = textStreamOf(around.services.agent.store.sessions.export(id));
    const headers = {
      'content-type': 'application/x-ndjson',
      'content-disposition': `attachment; filename="session-${id.replace(/[^\w.-]/g, '_')}.jsonl"`,
    };
    return new Response(body, { headers });
  },

  async importSession(_, { services: { agent, clock }, caller, context }) {
    const { lines, format, notes } = await readImport(linesOf(context.var.readBody()), {
      maxChars: context.var.maxBodyBytes,
      nowMs: clock.nowMs(),
    });
    const imported = await agent.import(lines, { id: randomIds.nextId('session'), owner: caller.owner });
    return { status: 201, body: { ...encodeSession(await imported.info()), format, notes } };
  },

  async switchModel({ params: { id }, body: { model } }, around) {
    const session = await sessionOf(around, id);
    const outcome = await session.switchModel(await around.services.models.driverNamed(model));
    if (outcome.type === 'busy') return refuseBusy('A model cannot be switched');
    return { status: 200, body: outcome };
  },

  async listModels(_, { services: { agent, models } }) {
    const items = models.names.map((name) => ({ name }));
    return { status: 200, body: { default: nameOfDefault({ agent, models }), items } };
  },
};

const stepBorders: ReadonlySet<AgentEventType> = new Set(['run:start', 'step:start', 'step:end', 'run:end']);

/** Where the events begin of the step that is under way: what a page shows that comes in the middle of it. */
async function openStep(
  { journal }: Pick<SessionStore, 'journal'>,
  { id, status, lastEventSeq }: SessionInfo,
): Promise<number | null> {
  if (status === 'idle') return null;
  const place = { sessionId: id, upTo: lastEventSeq };
  const border = await findLastEvent(journal, place, ({ type }) => stepBorders.has(type));
  return border?.type === 'step:start' ? border.seq - 1 : null;
}

/** The lines of a text that comes in pieces. A line that never ends is bounded by the limit of the whole. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest: string[] = [];
  for await (const chunk of chunks) {
    const [first = '', ...more] = decoded(decoder, chunk).split('\n');
    rest.push(first);
    for (const piece of more) {
      yield rest.join('');
      rest = [piece];
    }
  }
  const last = rest.join('');
  if (last !== '') yield last;
}

function decoded(decoder: InstanceType<typeof TextDecoder>, chunk: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch {
    throw new RequestRefused('bad-request', 'The body is no text in UTF-8.');
  }
}

/** Lines as a body, read as fast as they are taken. */
function textStreamOf(lines: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = lines[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(`${value}\n`));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
