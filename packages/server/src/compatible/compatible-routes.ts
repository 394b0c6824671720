import { scriptAwareEstimator } from '@throughline/core';
import { Hono } from 'hono';
import { chatDialect } from './dialects/chat.ts';
import { messagesDialect } from './dialects/messages.ts';
import { responsesDialect } from './dialects/responses.ts';
import { agentsOf, modelList, oneModel, unknownModel } from './list-models.ts';
import { foreseenError } from './provider-error.ts';
import { RequestFault } from './wire/request-fault.ts';
import type { Agent } from '@throughline/agent';
import type { ServerContext, ServerEnv } from '../server-env.ts';
import type { Services } from '../services.ts';
import type { AnswerOptions, AnswerRequest } from './answer-request.ts';
import type { Dialect } from './wire/dialect.ts';

export interface CompatibleOptions extends AnswerOptions {
  /** Agents by the name that requests call a model. @default the agent of the services as `throughline` */
  readonly agents?: Readonly<Record<string, Agent>>;
}

interface Setup {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly answer: AnswerRequest;
}

const dialects = [chatDialect, responsesDialect, messagesDialect];

/**
 * Agents as models, behind the APIs that people already speak: OpenAI's Chat Completions and Responses, and Anthropic's
 * Messages. Clients with a doubled `/v1` in their address are served, too.
 */
export function compatibleRoutes(
  services: Services,
  { agents: named, ...options }: CompatibleOptions = {},
): Hono<ServerEnv> {
  const routes = new Hono<ServerEnv>();
  const agents = agentsOf(services, named);
  let answerRequest: Promise<AnswerRequest> | undefined;
  const answer: AnswerRequest = async (...all) => {
    // What answers is loaded for the first request: a server of which only the page is used does not wait for it.
    answerRequest ??= import('./answer-request.ts').then(({ createAnswerRequest }) =>
      createAnswerRequest({ ...options, services, agents }),
    );
    return await (
      await answerRequest
    )(...all);
  };
  for (const prefix of ['/v1', '/v1/v1']) routes.route(prefix, versionOne({ agents, answer }));
  return routes;
}

function versionOne({ agents, answer }: Setup): Hono<ServerEnv> {
  const routes = new Hono<ServerEnv>();
  for (const dialect of dialects) {
    routes.post(dialect.path, (c) => inShapeOf(dialect, () => answer(c, dialect)));
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

/** An estimate: no model is asked. */
async function countTokens(c: ServerContext): Promise<number> {
  const body = await c.var.readJson();
  if (typeof body !== 'object' || body === null)
    throw new RequestFault({ kind: 'bad-request', message: 'Expected the body to be an object.' });
  const { model: _, ...counted } = body as Readonly<Record<string, unknown>>;
  return Math.max(1, Math.ceil(scriptAwareEstimator.count(JSON.stringify(counted))));
}
