import { scriptAwareEstimator } from '@throughline/core';
import { Hono } from 'hono';
import { askAgent } from './answer/answer-ask.ts';
import { serveAnswer } from './answer/serve-answer.ts';
import { findConversation, responseIdOf, turnKeyOf } from './conversation/find-conversation.ts';
import { KnownHistories } from './conversation/known-histories.ts';
import { KnownManners } from './conversation/known-manners.ts';
import { chatDialect } from './dialects/chat.ts';
import { messagesDialect } from './dialects/messages.ts';
import { responsesDialect } from './dialects/responses.ts';
import { InTurn } from '../follow/in-turn.ts';
import { agentsOf, modelList, oneModel } from './list-models.ts';
import { foreseenError } from './provider-error.ts';
import { RequestFault } from './wire/request-fault.ts';
import type { Agent } from '@throughline/agent';
import type { ServerContext, ServerEnv } from '../server-env.ts';
import type { Services } from '../services.ts';
import type { Dialect } from './wire/dialect.ts';
import type { ModelAsk } from './wire/model-ask.ts';

export interface CompatibleOptions {
  /** Agents by the name that requests call a model. @default the agent of the services as `throughline` */
  readonly agents?: Readonly<Record<string, Agent>>;
  /**
   * What becomes of a question to the user, whom these APIs cannot ask. `wait`: somebody answers it elsewhere.
   *
   * @default 'deny'
   */
  readonly approvals?: 'deny' | 'wait';
  /** How long the head of an answer is held back for a fault that may come. @default 10 000 */
  readonly holdHeadMs?: number;
}

interface Setup extends Omit<CompatibleOptions, 'agents'> {
  readonly services: Services;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly histories: KnownHistories;
  readonly manners: KnownManners;
  readonly turns: InTurn;
}

const dialects = [chatDialect, responsesDialect, messagesDialect];

/**
 * Agents as models, behind the APIs that people already speak: OpenAI's Chat Completions and Responses, and Anthropic's
 * Messages. Clients with a doubled `/v1` in their address are served, too.
 */
export function compatibleRoutes(
  services: Services,
  { agents, ...options }: CompatibleOptions = {},
): Hono<ServerEnv> {
  const routes = new Hono<ServerEnv>();
  const setup: Setup = {
    ...options,
    services,
    agents: agentsOf(services, agents),
    histories: new KnownHistories(),
    manners: new KnownManners(),
    turns: new InTurn(),
  };
  for (const prefix of ['/v1', '/v1/v1']) routes.route(prefix, versionOne(setup));
  return routes;
}

function versionOne(setup: Setup): Hono<ServerEnv> {
  const { agents } = setup;
  const routes = new Hono<ServerEnv>();
  for (const dialect of dialects) {
    routes.post(dialect.path, (c) => inShapeOf(dialect, () => answer(c, dialect, setup)));
    routes.get(dialect.path, (c) => answerOtherMethod(c, dialect));
  }
  routes.post('/messages/count_tokens', (c) =>
    inShapeOf(messagesDialect, async () => c.json({ input_tokens: await countTokens(c) })),
  );
  routes.post('/responses/input_tokens', (c) =>
    inShapeOf(responsesDialect, async () =>
      c.json({ object: 'response.input_tokens', input_tokens: await countTokens(c) }),
    ),
  );
  routes.get('/models', (c) => c.json(modelList([...agents.keys()], isAnthropic(c))));
  routes.get('/models/:id', (c) =>
    inShapeOf(isAnthropic(c) ? messagesDialect : chatDialect, () => {
      const id = c.req.param('id');
      if (!agents.has(id)) throw unknownModel(id, agents);
      return c.json(oneModel(id, isAnthropic(c)));
    }),
  );
  return routes;
}

async function answer(c: ServerContext, dialect: Dialect, setup: Setup): Promise<Response> {
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

/** Both list their models at the same place: Anthropic's clients say who they are. */
function isAnthropic({ req }: ServerContext): boolean {
  return req.header('anthropic-version') !== undefined;
}

/** Every error in the shape of the API that was asked. */
async function inShapeOf(dialect: Dialect, work: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    const foreseen = foreseenError(dialect, error);
    if (!foreseen) throw error;
    return foreseen;
  }
}

function answerOtherMethod(c: ServerContext, dialect: Dialect): Response {
  if (c.req.raw.method === 'HEAD') return c.body(null, 200);
  // A client that may speak over a WebSocket goes on over HTTP.
  const isUpgrade = c.req.header('upgrade')?.toLowerCase() === 'websocket';
  const message = isUpgrade ? 'WebSockets are not served: use HTTP.' : `Use POST ${c.req.path}.`;
  return c.json(dialect.fault({ kind: 'bad-request', message }), isUpgrade ? 426 : 405);
}

function unknownModel(name: string, agents: ReadonlyMap<string, Agent>): RequestFault {
  const message = `There is no model ${JSON.stringify(name)}: ${[...agents.keys()].join(', ')}.`;
  return new RequestFault({ kind: 'unknown-model', message, param: 'model' });
}

const mostIgnored = 20;

function ignoredHeader({ ignored }: ModelAsk): Readonly<Record<string, string>> {
  const names = ignored.filter((name) => /^[\w.-]{1,64}$/.test(name)).slice(0, mostIgnored);
  return names.length === 0 ? {} : { 'x-throughline-ignored': names.join(', ') };
}

/** An estimate: no model is asked. */
async function countTokens(c: ServerContext): Promise<number> {
  const body = await c.var.readJson();
  if (typeof body !== 'object' || body === null)
    throw new RequestFault({ kind: 'bad-request', message: 'Expected the body to be an object.' });
  const { model: _, ...counted } = body as Readonly<Record<string, unknown>>;
  return Math.max(1, Math.ceil(scriptAwareEstimator.count(JSON.stringify(counted))));
}
