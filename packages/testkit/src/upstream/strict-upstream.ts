import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerRequest, type AnswerState } from './answer-request.ts';
import { failureOf, type Failure } from './failures.ts';
import { PrefixCache, type CacheFigures } from './model/prefix-cache.ts';
import { readBody } from './sent-body.ts';
import { dialects, routeOf } from './routes.ts';
import type { Fault } from './rules/rule.ts';
import { answerByQuestion } from './model/scripted-answer.ts';
import { sendReply, wasBroken, type Reply } from './send-reply.ts';
import { serverKind } from './servers.ts';
import type { NotedRequest, StrictUpstreamOptions, UpstreamRequest } from './upstream-request.ts';

export interface StrictUpstream {
  /** Without `/v1`. */
  readonly url: string;
  readonly requests: readonly UpstreamRequest[];
  /** All rules that requests broke; empty is what a test wants. */
  readonly faults: readonly (Fault & { readonly request: number })[];
  cacheFigures(): CacheFigures;
  /** The window from now on. */
  setWindow(tokens: number): void;
  /** Resolves with a request when it has been read, now or later. */
  request(index: number): Promise<UpstreamRequest>;
  stop(): Promise<void>;
}

/**
 * A model server for tests: real HTTP, and as strict as the real ones. It counts tokens by a rule of its own, enforces its
 * window, refuses what the APIs refuse, caches prefixes, and misbehaves when told to.
 */
export async function createStrictUpstream(options: StrictUpstreamOptions = {}): Promise<StrictUpstream> {
  const requests: NotedRequest[] = [];
  const waiting = new Map<number, (request: UpstreamRequest) => void>();
  const state: AnswerState = {
    options,
    script: options.answer ?? answerByQuestion,
    window: options.windowTokens,
    cache: new PrefixCache(options.minimumCachedTokens ?? 0),
    reasoningOfItem: new Map(),
    answered: 0,
    ids: 0,
  };
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const index = requests.length;
    const noted = noteRequest(index, incoming, response);
    requests.push(noted);
    const { bytes, json } = await readBody(incoming);
    Object.assign(noted, { bytes, json });
    const reply = decide(state, noted);
    noted.status = reply.reply.status;
    waiting.get(index)?.(noted);
    await sendReply(response, reply.reply, reply.failure);
  };
  const server = createServer((incoming, response) => {
    // A caller that goes away while its request is read leaves nothing to answer.
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get faults() {
      return requests.flatMap(({ faults, index }) => faults.map((fault) => ({ ...fault, request: index })));
    },
    cacheFigures: () => state.cache.figures(),
    setWindow(tokens) {
      state.window = tokens;
    },
    request(index) {
      const known = requests[index];
      if (known && known.status > 0) return Promise.resolve(known);
      return new Promise((resolve) => waiting.set(index, resolve));
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function noteRequest(index: number, incoming: IncomingMessage, response: ServerResponse): NotedRequest {
  const ended = Promise.withResolvers<void>();
  const path = incoming.url ?? '';
  const noted: NotedRequest = {
    index,
    method: incoming.method ?? '',
    path,
    headers: incoming.headers,
    bytes: Buffer.alloc(0),
    json: undefined,
    faults: [],
    status: 0,
    wasAborted: false,
    ended: ended.promise,
    ...routeOf(incoming.method ?? '', path),
  };
  response.once('close', () => {
    noted.wasAborted = !response.writableFinished && !wasBroken(response);
    ended.resolve();
  });
  return noted;
}

function decide(state: AnswerState, noted: NotedRequest): { reply: Reply; failure: Failure } {
  if (noted.kind === 'other' || !noted.dialect) return { reply: lookUp(state, noted), failure: {} };
  const failure = noted.kind === 'answer' ? nextFailure(state, noted) : {};
  return { reply: answerRequest(state, noted, { dialect: dialects[noted.dialect], failure }), failure };
}

function nextFailure(state: AnswerState, noted: UpstreamRequest): Failure {
  const { failures } = state.options;
  const at = state.answered++;
  return failureOf(typeof failures === 'function' ? failures(noted) : failures?.[at]);
}

/** What is asked beside answers: the models, their limits, and whether somebody is there. */
function lookUp({ options, window }: AnswerState, { method, path, headers }: UpstreamRequest): Reply {
  const [plain = ''] = path.split('?');
  const kind = serverKind(options.server ?? 'openai');
  const windows = typeof window === 'object' ? window : { m: window ?? Number.MAX_SAFE_INTEGER };
  const isAnthropic = headers['anthropic-version'] !== undefined;
  const list = Object.entries(windows).map(([id, tokens]) =>
    isAnthropic
      ? { type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00Z', max_input_tokens: tokens }
      : { id, object: 'model', created: 1_700_000_000, owned_by: 'upstream', ...kind.model?.(tokens) },
  );
  const found: Readonly<Record<string, unknown>> = {
    'GET /v1/models': isAnthropic
      ? { data: list, has_more: false, first_id: list[0]?.id, last_id: list.at(-1)?.id }
      : { object: 'list', data: list },
    ...Object.fromEntries(list.map((model) => [`GET /v1/models/${model.id}`, model])),
    'HEAD /api/hello': {},
    ...(options.server === 'llama.cpp'
      ? {
          'GET /props': {
            default_generation_settings: { n_ctx: Object.values(windows)[0] },
            total_slots: 1,
            model_path: 'm.gguf',
          },
        }
      : {}),
  };
  const body = found[`${method} ${plain}`];
  return {
    status: body === undefined ? 404 : 200,
    headers: { 'content-type': 'application/json' },
    content: {
      kind: 'bytes',
      bytes: JSON.stringify(body ?? { error: { message: 'Not found', type: 'invalid_request_error' } }),
    },
  };
}
