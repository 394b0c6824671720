import { createHash, randomUUID } from 'node:crypto';
import { ContextError } from '@throughline/core';
import { openOrCreate } from '../../follow/open-or-create.ts';
import { openSession } from '../../services.ts';
import { badRequest, RequestFault } from '../wire/request-fault.ts';
import { fingerprintOf, lastInstructions, storedTexts, storedTurns, textsOf } from './conversation-turns.ts';
import { seedSession } from './seed-session.ts';
import type { Agent, AgentSession } from '@throughline/agent';
import type { StoredMessage } from '@throughline/ports';
import type { Caller } from '../../services.ts';
import type { ModelAsk, Turn } from '../wire/model-ask.ts';

/** The session that a request goes on with. */
export interface FoundConversation {
  readonly session: AgentSession;
  /** Instructions that the session does not have yet; may be empty. */
  readonly newInstructions: string;
  /** The message, where it was asked before and not answered: the client tries again after a failure. */
  readonly unansweredId?: string;
}

interface FindOptions {
  readonly agent: Agent;
  /** As models are named. */
  readonly agentName: string;
  readonly caller: Caller;
  readonly ask: ModelAsk;
  /** The client's own name for its session. */
  readonly sessionId: string | undefined;
}

/** Of conversations with the same beginning the newest ones are looked at. */
const mostCandidates = 32;
const mostMessages = 1_000_000;

/**
 * Finds the session of a client that sends everything anew: the one it names, or else the one whose history is what the
 * request says was said before. Where there is none, because the client has changed its history or comes from somewhere
 * else, one is made that begins with it. Ids of sessions are derived from the owner, the agent and the first message, so
 * that a conversation is found after a restart, too.
 */
export async function findConversation(options: FindOptions): Promise<FoundConversation> {
  const { sessionId, ask } = options;
  if (ask.previousResponseId !== undefined) return await findByResponse(options, ask.previousResponseId);
  if (sessionId !== undefined) return await findByName(options, sessionId);
  return await findByHistory(options);
}

async function findByName({ agent, caller, ask }: FindOptions, id: string): Promise<FoundConversation> {
  if (!/^[\w.:-]{1,128}$/.test(id))
    throw badRequest('x-session-id', '1 to 128 letters, digits, dots, colons, dashes or underscores');
  const session = await openOrCreate({ agent }, caller, id);
  const messages = await messagesOf(agent, id);
  if (messages.length === 0) await seedSession(agent, session, ask.earlier);
  return await found(session, messages, ask);
}

async function findByHistory({ agent, agentName, caller, ask }: FindOptions): Promise<FoundConversation> {
  const turns = [...ask.earlier, { role: 'user', parts: ask.content } satisfies Turn];
  const [first] = textsOf(turns);
  const base = idOf(caller.owner, agentName, fingerprintOf(first ? [first] : []));
  const count = await countSessions(agent, base);
  const before = fingerprintOf(textsOf(ask.earlier));
  const withAsked = fingerprintOf(textsOf(turns));
  for (let n = count; n > 0 && n > count - mostCandidates; n -= 1) {
    // One of this name may be somebody else's: ids are what clients say they are, too.
    const session = await openSession({ agent }, caller, nameOf(base, n)).catch(ignoreMissing);
    if (!session || session.isRunning) continue;
    const messages = await messagesOf(agent, session.id);
    const known = fingerprintOf(storedTexts(messages));
    if (known === before && ask.earlier.length > 0) return await found(session, messages, ask);
    const unansweredId = messages.findLast(({ message }) => message.role === 'user')?.message.id;
    if (known === withAsked && unansweredId !== undefined)
      return { session, newInstructions: '', unansweredId };
  }
  const session = await createNext(agent, caller, base, count + 1);
  await seedSession(agent, session, ask.earlier);
  return await found(session, [], ask);
}

async function findByResponse(
  { agent, caller, ask }: FindOptions,
  responseId: string,
): Promise<FoundConversation> {
  const named = readResponseId(responseId);
  const session = named && (await openSession({ agent }, caller, named.sessionId).catch(ignoreMissing));
  const messages = session ? await messagesOf(agent, session.id) : [];
  // Several that waited are one message of the history.
  const item = session && (await agent.store.inbox.item(session.id, named.messageId));
  const messageId = item?.messageId ?? named?.messageId;
  const asked = messages.findIndex(({ message }) => message.id === messageId);
  if (!session || asked < 0)
    throw new RequestFault({
      kind: 'bad-request',
      message: `There is no response ${responseId}.`,
      param: 'previous_response_id',
    });
  const next = messages.findIndex(({ message: { role } }, index) => index > asked && role === 'user');
  if (next < 0) return await found(session, messages, ask);
  // The conversation has gone on since: this is another branch of it.
  const branch = await agent.create({ id: `v1-${randomUUID()}`, owner: caller.owner });
  await seedSession(agent, branch, storedTurns(messages.slice(0, next)));
  return await found(branch, messages.slice(0, next), ask);
}

async function found(
  session: AgentSession,
  messages: readonly StoredMessage[],
  { instructions }: ModelAsk,
): Promise<FoundConversation> {
  const isKnown = instructions === lastInstructions(messages) && (await isShown(session, instructions));
  return { session, newInstructions: isKnown ? '' : instructions };
}

/** Whether the model still sees it: a compaction may have put the message it came with into a summary. */
async function isShown(session: AgentSession, instructions: string): Promise<boolean> {
  const { headCheckpoint } = await session.info();
  if (headCheckpoint === null || instructions === '') return true;
  const { messages } = await session.request();
  return JSON.stringify(messages).includes(JSON.stringify(instructions).slice(1, -1));
}

/** Names an answer, so that the next request can name it instead of sending everything. */
export function responseIdOf(prefix: string, sessionId: string, messageId: string): string {
  return prefix + Buffer.from(JSON.stringify([sessionId, messageId])).toString('base64url');
}

function readResponseId(id: string): { readonly sessionId: string; readonly messageId: string } | undefined {
  try {
    const text = Buffer.from(id.replace(/^resp_/, ''), 'base64url').toString();
    const [sessionId, messageId] = JSON.parse(text) as readonly unknown[];
    return typeof sessionId === 'string' && typeof messageId === 'string'
      ? { sessionId, messageId }
      : undefined;
  } catch {
    return undefined;
  }
}

async function messagesOf({ store }: Agent, sessionId: string): Promise<readonly StoredMessage[]> {
  return await store.history.messages(sessionId, 0, mostMessages);
}

function idOf(...from: readonly string[]): string {
  return `v1-${createHash('sha256').update(from.join('\0')).digest('hex').slice(0, 32)}`;
}

function nameOf(base: string, n: number): string {
  return `${base}-${n}`;
}

/** How many conversations began so. They are numbered: it takes the logarithm of their number in looks. */
async function countSessions(agent: Agent, base: string): Promise<number> {
  const exists = async (n: number): Promise<boolean> =>
    (await agent.store.sessions.read(nameOf(base, n)).catch(ignoreMissing)) !== undefined;
  let low = 0;
  let high = 1;
  while (await exists(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await exists(middle)) low = middle;
    else high = middle;
  }
  return low;
}

async function createNext(
  agent: Agent,
  { owner }: Caller,
  base: string,
  from: number,
): Promise<AgentSession> {
  for (let n = from; ; n += 1) {
    try {
      return await agent.create({ id: nameOf(base, n), owner });
    } catch (error) {
      // Another request has just begun in the same words.
      if (!ContextError.is(error, 'already-exists')) throw error;
    }
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!ContextError.is(error, 'not-found')) throw error;
}
