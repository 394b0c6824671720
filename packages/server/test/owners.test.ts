import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askerOf } from './api-client.ts';
import { openServer } from './open-server.ts';
import { routes } from '@throughline/protocol';
import type { Answer, Ask } from './api-client.ts';
import type { OpenedServer } from './open-server.ts';
import type { Route } from '@throughline/protocol';

const tokens = [
  { owner: 'ann', token: 'the-token-of-ann-0000' },
  { owner: 'bob', token: 'the-token-of-bob-1111' },
  { owner: '', token: 'the-token-of-nobody-2' },
];

let opened: OpenedServer;
let ann: Ask;
let bob: Ask;
let nobody: Ask;
let secret: string;
/** Names the answer in it as the Responses API does. */
let answerId: string;

beforeAll(async () => {
  opened = await openServer({ tokens });
  [ann, bob, nobody] = tokens.map(({ token }) => askerOf(opened.url, token)) as [Ask, Ask, Ask];
  const { body } = await ann('POST', '/api/message?wait=true', { body: { content: 'tell me 40 words' } });
  secret = body.sessionId as string;
  answerId = `resp_${Buffer.from(JSON.stringify([secret, body.messageId])).toString('base64url')}`;
});

afterAll(() => opened[Symbol.asyncDispose]());

/** Bodies that are in order, so that a route gets as far as the session. A new route with a body needs one. */
const bodies: Readonly<Record<string, (session: string) => unknown>> = {
  sendMessage: (sessionId) => ({ sessionId, content: 'help' }),
  changeWaiting: () => ({ position: 1 }),
  createSession: () => ({ title: 'Mine' }),
  renameSession: () => ({ title: 'Taken' }),
  forkSession: () => ({}),
  branchSession: () => ({ at: 0, content: 'help' }),
  switchModel: () => ({ model: 'demo:scripted' }),
  answerApproval: () => ({ type: 'deny' }),
  compact: () => ({}),
  previewCompaction: () => ({}),
  whatIf: () => ({}),
  redoCompaction: () => ({}),
  changeSettings: () => ({ auto: true }),
};

/** Other parts of addresses, as they would be right. */
const parts: Readonly<Record<string, string>> = {
  recallId: 'm0',
  approvalId: 'a',
  ordinal: '0',
  seq: '3',
  hash: 'a'.repeat(64),
};

const all: readonly (readonly [string, Route])[] = Object.entries(routes);

/** Routes that name no session: what they tell is the caller's own, or nobody's. */
const ofNoSession = [
  'subscribeAll',
  'listSessions',
  'createSession',
  'importSession',
  'listModels',
  'searchSessions',
  'listProxyRoutes',
  'listProxyConversations',
  'searchProxyConversations',
  'getSettings',
  'changeSettings',
];

const ofSession = all.filter(([name]) => !ofNoSession.includes(name));

async function askRoute(ask: Ask, name: string, route: Route, session: string): Promise<Answer> {
  // A part with the name `id` is the session, unless that is named beside.
  const isBeside = 'sessionId' in (route.query?.shape ?? {});
  const path = route.path.replace(/:(\w+)/g, (_, part: string) =>
    part === 'id' ? (isBeside ? 'waiting' : session) : (parts[part] ?? 'x'),
  );
  const query = new URLSearchParams({
    ...(isBeside && { sessionId: session }),
    ...('query' in (route.query?.shape ?? {}) && { query: 'words' }),
  });
  if (route.body && !(name in bodies)) throw new Error(`Give ${name} a body that is in order.`);
  const body = bodies[name]?.(session);
  return await ask(route.method, `${path}?${query.toString()}`, body === undefined ? {} : { body });
}

describe('a session of one owner', () => {
  it.each(ofSession)('is not there for another one: %s', async (name, route) => {
    const before = await ann('GET', `/api/sessions/${secret}/export`);
    for (const ask of [bob, nobody]) {
      const answer = await askRoute(ask, name, route, secret);
      const none = await askRoute(ask, name, route, 'session_of_nobody');
      // What is somebody else's and what is not there are answered alike.
      expect([answer.status, answer.text.replaceAll(secret, 'X')]).toEqual([
        404,
        none.text.replaceAll('session_of_nobody', 'X'),
      ]);
      expect(none.status).toBe(404);
      expect(answer.text).not.toContain('words');
    }
    expect((await ann('GET', `/api/sessions/${secret}/export`)).text).toBe(before.text);
  });

  it('is in no list but its own', async () => {
    const ids = async (ask: Ask): Promise<readonly string[]> =>
      (await ask('GET', '/api/sessions')).body.items.map(({ id }: { id: string }) => id);
    expect(await ids(ann)).toContain(secret);
    expect(await ids(bob)).not.toContain(secret);
    expect(await ids(nobody)).not.toContain(secret);
  });

  it('becomes that of whoever imports it, whatever its lines say', async () => {
    const { text } = await ann('GET', `/api/sessions/${secret}/export`);
    expect(text).toContain('"ann"');
    const { body } = await bob('POST', '/api/sessions/import', {
      body: text,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect((await bob('GET', `/api/sessions/${body.id}`)).status).toBe(200);
    expect((await ann('GET', `/api/sessions/${body.id}`)).status).toBe(404);
  });

  it('is not opened by its owner in the address, a header or the body', async () => {
    const { body } = await bob('POST', '/api/sessions', { headers: { 'x-owner': 'ann' } });
    expect((await ann('GET', `/api/sessions/${body.id}`)).status).toBe(404);
    expect((await bob('GET', `/api/sessions/${secret}?owner=ann`)).status).toBe(404);
    expect((await bob('POST', '/api/sessions', { body: { owner: 'ann' } })).status).toBe(422);
  });
});

/** Ways in that people already speak, where the client says which session it means. */
const foreignWays = {
  'useChat sends to it': (id) => post('/api/chat', { id, messages: [chatMessage] }),
  'useChat makes an answer of it anew': (id) =>
    post('/api/chat', { id, messages: [chatMessage], trigger: 'regenerate-message' }),
  'useChat answers a question of it': (id) =>
    post('/api/chat', { id, messages: [{ id: 'a', role: 'assistant', parts: [approved] }] }),
  'useChat looks for its answer': (id) => ['GET', `/api/chat/${id}/stream`, undefined, {}],
  'useChat stops it': (id) => post(`/api/chat/${id}/stop`, {}),
  'a chat completion names it': (id) =>
    post('/v1/chat/completions', { model: 'throughline', messages: [said] }, named(id)),
  'a streamed chat completion names it': (id) =>
    post('/v1/chat/completions', { model: 'throughline', stream: true, messages: [said] }, named(id)),
  'a response names it': (id) => post('/v1/responses', { model: 'throughline', input: 'help' }, named(id)),
  'a response goes on with its answer': (id) =>
    post('/v1/responses', {
      model: 'throughline',
      input: 'help',
      previous_response_id: answerIdIn(id),
    }),
  'a message names it': (id) =>
    post('/v1/messages', { model: 'throughline', max_tokens: 100, messages: [said] }, named(id)),
} as const satisfies Readonly<Record<string, (id: string) => Sent>>;

type Sent = readonly [method: string, path: string, body: unknown, headers: Readonly<Record<string, string>>];

const said = { role: 'user', content: 'help' };
const chatMessage = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'help' }] };
const approved = {
  type: 'dynamic-tool',
  state: 'approval-responded',
  approval: { id: 'a', approved: true },
};
const named = (id: string): Readonly<Record<string, string>> => ({ 'x-session-id': id });
const answerIdIn = (id: string): string =>
  `resp_${Buffer.from(JSON.stringify([id, 'm'])).toString('base64url')}`;
const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Sent => [
  'POST',
  path,
  body,
  headers,
];

/** What differs between two answers to the same request: ids that are made of others, times, numbers of tokens. */
function withoutIds(text: string, ...ids: readonly string[]): string {
  return ids
    .reduce((told, id) => told.replaceAll(id, 'X'), text)
    .replaceAll(/(?:named|run|session|v1|chatcmpl|resp|msg)[-_][\w-]+/g, 'ID')
    .replaceAll(/"(?:created|created_at|completed_at|position|at|atMs|ms|\w*Ms)":[\d.]+/g, '"at":0');
}

describe('a session of one owner is not reached by another one', () => {
  it.each(Object.entries(foreignWays))('when %s, and is answered as what is not there', async (_, way) => {
    const content = 'tell me 40 words';
    const sent = { messageId: 'm', content };
    const { body: made } = await ann('POST', '/api/sessions', {});
    await ann('POST', '/api/message?wait=true', { body: { ...sent, sessionId: made.id } });
    const taken = made.id as string;
    const before = await ann('GET', `/api/sessions/${taken}/export`);
    for (const { token } of tokens.slice(1)) {
      const none = `session_of_nobody_${randomUUID()}`;
      const [foreign, missing] = await Promise.all(
        [taken, none].map(async (id) => {
          const [method, path, body, headers] = way(id);
          const answer = await fetch(opened.url + path, {
            method,
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
            ...(body !== undefined && { body: JSON.stringify(body) }),
          });
          const text = withoutIds(await answer.text(), id, answerIdIn(id));
          return { status: answer.status, type: answer.headers.get('content-type'), text };
        }),
      );
      expect([foreign?.status, foreign?.type]).toEqual([missing?.status, missing?.type]);
      if (foreign && foreign.status >= 400) expect(foreign.text).toBe(missing?.text);
      expect(foreign?.text).not.toContain('40 words');
    }
    expect((await ann('GET', `/api/sessions/${taken}/export`)).text).toBe(before.text);
  });

  it('although its own owner reaches it so', async () => {
    const answer = await fetch(`${opened.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens[0]?.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'throughline', input: 'help', previous_response_id: answerId }),
    });
    expect([answer.status, answer.headers.get('x-session-id')]).toEqual([200, secret]);
  });
});

it.each(all)('no route is answered without a token: %s', async (name, route) => {
  const answer = await askRoute(askerOf(opened.url), name, route, secret);
  expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized']);
});

it('what one owner allows always is not allowed in the sessions of the others', async () => {
  const answer = await ann('POST', `/api/sessions/${secret}/approvals/a`, {
    body: { type: 'allow', scope: 'always' },
  });
  expect([answer.status, answer.body.faults]).toEqual([
    422,
    [{ path: '/scope', message: 'expected once or session' }],
  ]);
});

it('no answer and no fault holds a token', async () => {
  const paths = [
    '/',
    '/health',
    '/api/sessions',
    `/api/sessions/${secret}`,
    '/api/models',
    '/api/openapi.json',
    '/x',
  ];
  const answers = await Promise.all(paths.map((path) => ann('GET', path)));
  const told = answers.map(({ text }) => text).join('\n') + JSON.stringify(opened.faults);
  for (const { token } of tokens) expect(told).not.toContain(token);
});
