import { createHash, randomUUID } from 'node:crypto';
import { countNumbered, createNumbered, sessionIdOf } from '../../follow/named-session.ts';
import { ignoreMissing, openSession } from '../../services.ts';
import { badRequest, RequestFault } from '../wire/request-fault.ts';
import { extended, fingerprintOf, nameOfInstructions, textsOf } from './conversation-turns.ts';
import { seedSession } from './seed-session.ts';
import type { Agent, AgentSession } from '@throughline/agent';
import type { SessionStore } from '@throughline/ports';
import type { Caller } from '../../services.ts';
import type { ModelAsk } from '../wire/dialect.ts';
import type { KnownHistories, KnownHistory, KnownManners } from './known-histories.ts';

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
  /** The client's own name for what it does: several conversations may have it. */
  readonly sessionId: string | undefined;
  readonly histories: KnownHistories;
  readonly manners: KnownManners;
}

/** So many of the newest conversations with the same beginning are looked at. */
const mostCandidates = 32;

/**
 * Finds the session of a client that sends everything anew: the one whose history is what the request says was said
 * before. Where there is none, because the client has changed its history or comes from somewhere else, one is made that
 * begins with it. Ids of sessions are derived from the owner, the agent, the client's own name and the first message, so
 * that a conversation is found after a restart, too. The first conversation of a client's own name has that as its id.
 * A call on the side with the same history goes to a fork.
 */
export async function findConversation(options: FindOptions): Promise<FoundConversation> {
  const conversation = await find(options);
  options.manners.keep(conversation.session.id, options.ask.manner);
  return conversation;
}

/**
 * The same for all requests that may come upon the same session. Of those one is looked up and sent after the other:
 * two that go on with the same history at the same moment would both find it free, and be answered as one.
 */
export function turnKeyOf({
  agentName,
  caller: { owner },
  ask,
  sessionId,
}: Pick<FindOptions, 'agentName' | 'caller' | 'ask' | 'sessionId'>): string {
  const { previousResponseId } = ask;
  if (previousResponseId !== undefined)
    return JSON.stringify([owner, 'response', readResponseId(previousResponseId)?.sessionId]);
  if (sessionId !== undefined) return JSON.stringify([owner, 'name', sessionId]);
  return JSON.stringify([owner, 'history', agentName, askedTurns(ask).first]);
}

async function find(options: FindOptions): Promise<FoundConversation> {
  const { sessionId, ask } = options;
  if (ask.previousResponseId !== undefined) return await findByResponse(options, ask.previousResponseId);
  const asked = askedTurns(ask);
  const named = sessionId === undefined ? undefined : await findByName(options, sessionId, asked);
  return named?.type === 'found' ? named.found : await findByHistory(options, asked, named);
}

/** How a request goes on with a session. */
type Match =
  | { readonly type: 'found'; readonly found: FoundConversation }
  /**
   * It says something else in the place of what was said last (a message that was edited, an answer made anew), or
   * something on the side, behind all of it: the place in the history where it does.
   */
  | { readonly type: 'aside'; readonly session: AgentSession; readonly ordinal: number };

/** A request as it is compared with histories. */
interface AskedTurns {
  readonly first: string;
  readonly before: string;
  readonly withAsked: string;
}

function askedTurns({ earlier, content }: ModelAsk): AskedTurns {
  const said = textsOf(earlier);
  const asked = textsOf([{ role: 'user', parts: content }]);
  const before = fingerprintOf(said);
  return {
    first: fingerprintOf([...said, ...asked].slice(0, 1)),
    before,
    withAsked: asked.reduce(extended, before),
  };
}

/** The session of this very name, where the request goes on with it; `undefined` where it is another conversation. */
async function findByName(options: FindOptions, id: string, asked: AskedTurns): Promise<Match | undefined> {
  const { agent, caller, ask } = options;
  if (!/^[\w.:-]{1,128}$/.test(id))
    throw badRequest('x-session-id', '1 to 128 letters, digits, dots, colons, dashes or underscores');
  const own = await sessionIdOf({ agent }, caller, id);
  const session = await agent.openOrCreate({ id: own, owner: caller.owner });
  const known = await options.histories.of(agent.store, session);
  if (known.messageCount > 0 || session.isRunning) return await matchOf(options, session, asked);
  await seedSession(agent, session, ask.earlier);
  return { type: 'found', found: await found(session, known, ask) };
}

/** What the session has to do with what the request says was said before; `undefined` where nothing. */
async function matchOf(
  { agent, ask, histories, manners }: FindOptions,
  session: AgentSession,
  { before, withAsked }: AskedTurns,
): Promise<Match | undefined> {
  const known = await histories.of(agent.store, session);
  const { lastUserId: unansweredId, lastTurn, fingerprint } = known;
  const goesOn = fingerprint === before && ask.earlier.length > 0;
  // Where a run has begun, another request has gone on here, and its message is not in the history yet.
  if (goesOn && (session.isRunning || manners.isOther(session.id, ask.manner)))
    return { type: 'aside', session, ordinal: known.messageCount };
  if (goesOn) return { type: 'found', found: await found(session, known, ask) };
  if (!session.isRunning && fingerprint === withAsked && unansweredId !== undefined)
    return { type: 'found', found: { session, newInstructions: '', unansweredId } };
  if (lastTurn?.before !== before || ask.earlier.length === 0) return undefined;
  return { type: 'aside', session, ordinal: lastTurn.ordinal };
}

async function findByHistory(
  options: FindOptions,
  asked: AskedTurns,
  named: Match | undefined,
): Promise<FoundConversation> {
  const { agent, agentName, caller, ask, sessionId, histories } = options;
  const scope = sessionId === undefined ? [] : [sessionId];
  const base = idOf(caller.owner, agentName, ...scope, asked.first);
  const idOfNumber = (n: number): string => nameOf(base, n);
  const count = await countNumbered(agent, idOfNumber);
  let aside = named;
  for (let n = count; n > 0 && n > count - mostCandidates; n -= 1) {
    // One of this name may be somebody else's: ids are what clients say they are, too.
    const session = await openSession({ agent }, caller, nameOf(base, n)).catch(ignoreMissing);
    const match = session && (await matchOf(options, session, asked));
    if (match?.type === 'found') return match.found;
    aside ??= match;
  }
  if (aside?.type !== 'aside') {
    const { made: session } = await createNumbered(idOfNumber, count + 1, (id) =>
      agent.create({ id, owner: caller.owner }),
    );
    await seedSession(agent, session, ask.earlier);
    return { session, newInstructions: ask.instructions };
  }
  const { session: from, ordinal } = aside;
  const { made: fork } = await createNumbered(idOfNumber, count + 1, (id) =>
    from.fork({ at: ordinal - 1, sessionId: id }),
  );
  return await found(fork, await histories.of(agent.store, fork), ask);
}

async function findByResponse(
  { agent, caller, ask, histories, manners }: FindOptions,
  responseId: string,
): Promise<FoundConversation> {
  const { store } = agent;
  const named = readResponseId(responseId);
  const session = named && (await openSession({ agent }, caller, named.sessionId).catch(ignoreMissing));
  // Before the history is read: what another request has sent is in one of them.
  const isAwaited = session?.isRunning === true && (await session.queue.pendingCount()) > 0;
  // Several that waited are one message of the history.
  const item = session && (await store.inbox.item(session.id, named.messageId));
  const asked = session && (await store.history.find(session.id, item?.messageId ?? named.messageId));
  if (!asked)
    throw new RequestFault({
      kind: 'bad-request',
      message: `There is no response ${responseId}.`,
      param: 'previous_response_id',
    });
  const next = await nextOfUser(store, session.id, asked.ordinal + 1);
  if (next === undefined && !isAwaited && !manners.isOther(session.id, ask.manner))
    return await found(session, await histories.of(store, session), ask);
  // The conversation has gone on since, or does so at this moment, or this is on its side: another branch of it.
  const branch = await session.fork({
    sessionId: `v1-${randomUUID()}`,
    ...(next === undefined ? {} : { at: next - 1 }),
  });
  return await found(branch, await histories.of(store, branch), ask);
}

const messagesRead = 50;

/** Where the user speaks next in a history; `undefined` where that was not yet. */
async function nextOfUser(
  { history }: SessionStore,
  sessionId: string,
  from: number,
): Promise<number | undefined> {
  for (let first = from; ; first += messagesRead) {
    const page = await history.messages(sessionId, first, first + messagesRead);
    const next = page.find(({ message: { role } }) => role === 'user');
    if (next || page.length < messagesRead) return next?.ordinal;
  }
}

async function found(
  session: AgentSession,
  known: KnownHistory,
  { instructions }: ModelAsk,
): Promise<FoundConversation> {
  const isKnown =
    nameOfInstructions(instructions) === known.instructions && (await isShown(session, instructions));
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

function idOf(...from: readonly string[]): string {
  return `v1-${createHash('sha256').update(from.join('\0')).digest('hex').slice(0, 32)}`;
}

function nameOf(base: string, n: number): string {
  return `${base}-${n}`;
}
