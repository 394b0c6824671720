import { findConversation, responseIdOf, turnKeyOf } from './conversation/find-conversation.ts';
import { KnownHistories, KnownManners } from './conversation/known-histories.ts';
import { unknownModel } from './list-models.ts';
import { askAgent } from './answer/ask-agent.ts';
import { serveAnswer } from './answer/serve-answer.ts';
import type { Agent } from '@throughline/agent';
import type { ServerContext } from '../server-env.ts';
import type { Services } from '../services.ts';
import type { Dialect, ModelAsk } from './wire/dialect.ts';

/** Answers a request in a dialect with what an agent says. */
export type AnswerRequest = (c: ServerContext, dialect: Dialect) => Promise<Response>;

export interface AnswerOptions {
  /**
   * What becomes of a question to the user, whom these APIs cannot ask. `wait`: somebody answers it elsewhere.
   *
   * @default 'deny'
   */
  readonly approvals?: 'deny' | 'wait';
  /** How long the head of an answer is held back for a fault that may come. @default 10 000 */
  readonly holdHeadMs?: number;
}

interface AnswerSetup extends AnswerOptions {
  readonly services: Services;
  readonly agents: ReadonlyMap<string, Agent>;
}

interface KnowingSetup extends AnswerSetup {
  readonly histories: KnownHistories;
  readonly manners: KnownManners;
  readonly turns: InTurn;
}

/** Answers for as long as the server lives: what it learns of conversations is known to all requests. */
export function createAnswerRequest(setup: AnswerSetup): AnswerRequest {
  const known = { histories: new KnownHistories(), manners: new KnownManners(), turns: new InTurn() };
  return async (c, dialect) => await answer(c, dialect, { ...setup, ...known });
}

async function answer(c: ServerContext, dialect: Dialect, setup: KnowingSetup): Promise<Response> {
  const { services, agents, approvals = 'deny', holdHeadMs = 10_000 } = setup;
  const ask = dialect.read(await c.var.readJson());
  const agent = agents.get(ask.model);
  if (!agent) throw unknownModel(ask.model, agents);
  const { caller } = c.var;
  const sessionId = c.req.header('x-session-id');
  const { histories, manners, turns } = setup;
  const options = { agent, agentName: ask.model, caller, ask, sessionId, histories, manners };
  const asked = await turns.take(turnKeyOf(options), async () =>
    askAgent(agent, await findConversation(options), ask),
  );
  const { session, messageId } = asked;
  const about = {
    id: responseIdOf(dialect.idPrefix, session.id, messageId),
    model: ask.model,
    createdAtMs: services.clock.nowMs(),
    estimatedTokens: ask.isStreamed ? Math.ceil((await session.context()).currentTokens) : 0,
    wantsUsage: ask.wantsUsage,
    previousResponseId: ask.previousResponseId,
  };
  const headers = { 'x-session-id': session.id, ...ignoredHeader(ask) };
  const deniesApprovals = approvals === 'deny';
  return await serveAnswer(c, { asked, ask, dialect, about, headers, deniesApprovals, holdHeadMs });
}

const mostIgnored = 20;

function ignoredHeader({ ignored }: ModelAsk): Readonly<Record<string, string>> {
  const names = ignored.filter((name) => /^[\w.-]{1,64}$/.test(name)).slice(0, mostIgnored);
  return names.length === 0 ? {} : { 'x-throughline-ignored': names.join(', ') };
}

/** Does what has the same key one after the other, in the order in which it was asked for. */
class InTurn {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    // Whether the one before went well is told to whoever asked for it.
    const before = this.#last.get(key)?.catch(() => {}) ?? Promise.resolve();
    const done = before.then(work);
    this.#last.set(key, done);
    try {
      return await done;
    } finally {
      if (this.#last.get(key) === done) this.#last.delete(key);
    }
  }
}
