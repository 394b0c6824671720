import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { createStrictUpstream, failures, serverKinds } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { askers, talk } from './askers.ts';
import { rawCall } from './raw-call.ts';
import { startProxy } from './start-proxy.ts';
import type { AddressInfo } from 'node:net';
import type { DialectName } from '../src/stream/dialect-streams.ts';
import type { Failure, FailureName } from '@throughline/testkit';
import type { RawAnswer } from './raw-call.ts';
import type { StartOptions } from './start-proxy.ts';

const paths: Readonly<Record<DialectName, string>> = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
};
const names = Object.keys(paths) as DialectName[];

interface Question {
  readonly dialect: DialectName;
  readonly isStreamed: boolean;
  readonly text?: string;
}

function bodyOf({ dialect, isStreamed, text = 'Answer with 40 tokens.' }: Question): string {
  const stream = { model: 'm', stream: isStreamed };
  return JSON.stringify(
    dialect === 'responses'
      ? { ...stream, input: [{ role: 'user', content: text }] }
      : { ...stream, max_tokens: 900, messages: [{ role: 'user', content: text }] },
  );
}

interface Both {
  readonly direct: RawAnswer;
  readonly proxied: RawAnswer;
}

/** The same question to an upstream that does this, without the proxy and through it. */
async function both(
  failure: Failure | FailureName,
  asked: Question,
  start: StartOptions = {},
): Promise<Both> {
  const answers: RawAnswer[] = [];
  for (const isProxied of [false, true]) {
    const upstream = await createStrictUpstream({ windowTokens: 100_000, failures: () => failure });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 100_000, ...start });
    answers.push(
      await rawCall(isProxied ? proxy.url : upstream.url, {
        path: paths[asked.dialect],
        headers: { 'anthropic-version': '2023-06-01', 'accept-encoding': 'gzip, br' },
        body: bodyOf(asked),
      }),
    );
    await upstream.stop();
  }
  const [direct, proxied] = answers;
  if (!direct || !proxied) throw new Error('both have answered');
  return { direct, proxied };
}

const kept = [
  {},
  { packets: 'byte' },
  { packets: 'together' },
  { lineEnd: '\r\n' },
  { lineEnd: '\r' },
  { lineEnd: '\r\n', packets: 'byte' },
  { lineEnd: '\r', packets: 'byte' },
  { pingEvery: 2 },
  { hasWholeArguments: true },
  { firstCallIndex: 3 },
  { hasEarlyHead: true },
  { headers: { 'x-request-id': 'r', 'content-type': 'Text/Event-Stream' } },
] as const satisfies readonly Failure[];

describe.each(names)('an answer over %s', (dialect) => {
  it.each(kept.map((failure) => [JSON.stringify(failure), failure]))(
    'comes byte for byte in a stream: %s',
    async (_, failure) => {
      const { direct, proxied } = await both(failure, { dialect, isStreamed: true });
      // What changes from time to time.
      expect(plain(proxied.text)).toBe(plain(direct.text));
      expect(proxied.status).toBe(200);
      expect(proxied.isBroken).toBe(false);
    },
  );

  it.each([{}, { packets: 'byte' }, { isGzipped: true }, { isEmpty: true }] as const)(
    'comes byte for byte as a whole: %j',
    async (failure) => {
      const { direct, proxied } = await both(failure, { dialect, isStreamed: false });
      expect(proxied.bytes.byteLength).toBe(direct.bytes.byteLength);
      expect(proxied.headers['content-encoding']).toBe(direct.headers['content-encoding']);
      if (!('isGzipped' in failure)) expect(plain(proxied.text)).toBe(plain(direct.text));
    },
  );

  it('that its upstream encodes although nobody asked it to is a stream like any other', async () => {
    const { proxied } = await both({ isGzipped: true }, { dialect, isStreamed: true });
    const { direct } = await both({}, { dialect, isStreamed: true });
    expect(plain(proxied.text)).toBe(plain(direct.text));
    expect(proxied.headers['content-encoding']).toBeUndefined();
  });

  it('that has no end mark is never given one', async () => {
    const { proxied, direct } = await both('no end mark', { dialect, isStreamed: true });
    expect(plain(proxied.text).startsWith(plain(direct.text).slice(0, 200))).toBe(true);
    expect(proxied.text).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
  });

  it.each([
    { errorAfter: { events: 9, refusal: { status: 529, message: 'Overloaded' } } },
    { resetAfter: 9 },
    { endAfter: 9 },
  ] as const)('that ends badly ends with an error, and never as if it were whole: %j', async (failure) => {
    const { proxied } = await both(failure, { dialect, isStreamed: true });
    expect(proxied.status).toBe(200);
    expect(proxied.text).toMatch(/"error"/);
    expect(proxied.text).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
    const question = { messages: talk(1, () => 'Answer with 40 tokens.'), isStreamed: true };
    const upstream = await createStrictUpstream({ failures: () => failure });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    await expect(askerOf(dialect)(proxy.url, question)).rejects.toThrow();
    await upstream.stop();
  });

  it.each(['reset before the head', 'stream without events'] as const)(
    'that never begins is an error with a status: %s',
    async (failure) => {
      const upstream = await createStrictUpstream({ failures: () => failure });
      await using proxy = await startProxy(`${upstream.url}/v1`);
      const proxied = await rawCall(proxy.url, {
        path: paths[dialect],
        headers: { 'anthropic-version': '2023-06-01' },
        body: bodyOf({ dialect, isStreamed: true }),
      });
      await upstream.stop();
      expect(proxied.status).toBe(502);
      expect(JSON.parse(proxied.text)).toMatchObject({
        error: { message: expect.stringMatching(/upstream/) },
      });
    },
  );

  it('that breaks off as a whole is an error with a status', async () => {
    const { proxied } = await both('reset in mid-answer', { dialect, isStreamed: false });
    expect(proxied.status).toBe(502);
  });

  it.each([
    'rate limit',
    'server error',
    'overloaded',
    'page of a gateway',
    'too large for its minute',
  ] as const)('that is an error comes as it is: %s', async (failure) => {
    for (const isStreamed of [true, false]) {
      const { direct, proxied } = await both(failure, { dialect, isStreamed });
      expect(proxied.status).toBe(direct.status);
      expect(proxied.text).toBe(direct.text);
      expect(proxied.headers['retry-after']).toBe(direct.headers['retry-after']);
      expect(proxied.headers['content-type']).toBe(direct.headers['content-type']);
    }
  });
});

/** Without what is another with every answer. */
function plain(text: string): string {
  return text.replaceAll(/"(?:created|created_at|completed_at)":\d+/g, '"at":0');
}

function askerOf(dialect: DialectName): (typeof askers)['messages'] {
  return askers[dialect === 'chat' ? 'chat completions' : dialect];
}

describe('an error that is encoded', () => {
  it('is read for what it says of the window, and comes as it is', async () => {
    const { overflow } = serverKinds.openai;
    const said = overflow({ dialect: 'chat', prompt: 9_000, maxTokens: 9, window: 8_192 });
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      request.resume();
      asked.push(request.url);
      response.writeHead(400, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify(said.body)));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    await using proxy = await startProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
    const messages = talk(
      40,
      (turn) => `Question ${turn}? ${'It was moved to the other ledger. '.repeat(40)}`,
    );
    const body = JSON.stringify({
      model: 'm',
      messages: messages.map(({ role, text }) => ({ role, content: text })),
    });
    const answer = await rawCall(proxy.url, { body });
    server.close();
    expect(asked.length).toBeGreaterThan(1);
    expect(answer.status).toBe(400);
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(answer.bytes.equals(gzipSync(JSON.stringify(said.body)))).toBe(true);
  });
});

describe('an answer that nobody foresaw', () => {
  it.each([
    '{"choices":[null]}',
    '{"choices":[{"message":null,"finish_reason":5}],"usage":"much"}',
    '{"choices":{"a":1}}',
    'null',
    '"text"',
    'not JSON',
    '',
    '{"error":null,"choices":[{"message":{"content":[{"text":5}],"tool_calls":[null]}}]}',
  ])('comes as it is: %s', async (body) => {
    for (const dialect of names) {
      const raw = { status: 200, body };
      const { proxied } = await both({ raw }, { dialect, isStreamed: false });
      expect([proxied.status, proxied.text]).toEqual([200, body]);
    }
  });

  it.each([
    'data: {"choices":[null]}',
    'data: {"choices":[{"delta":null,"index":"x"}]}',
    'data: {"choices":[{"delta":{"content":5,"tool_calls":[null]}}]}',
    'data: {"type":"content_block_delta"}',
    'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"type":"text_delta"}}',
    'data: {"type":"message_start","message":7}',
    'data: {"type":"response.output_item.done","item":[]}',
    'data: {"type":"response.output_text.delta","delta":{}}',
    'data: nothing',
    'id: 5\nretry: 10\n: comment\ndata',
    'wild: field',
  ])('comes as it is in a stream: %s', async (event) => {
    for (const dialect of names) {
      const body = `${event}\n\ndata: {"choices":[{"delta":{"content":"x"}}]}\n\ndata: [DONE]\n\n`;
      const raw = { status: 200, body, type: 'text/event-stream' };
      const { proxied } = await both({ raw }, { dialect, isStreamed: true });
      if (dialect === 'chat') expect([proxied.status, proxied.text]).toEqual([200, body]);
      else expect(proxied.status === 502 || proxied.text.startsWith(body)).toBe(true);
    }
  });
});

describe('the 27 failures of an upstream', () => {
  it.each(Object.keys(failures) as FailureName[])('leave the proxy as it was: %s', async (failure) => {
    if (failure.startsWith('stall')) return;
    const upstream = await createStrictUpstream({ windowTokens: 100_000, failures: [failure] });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 100_000 });
    const ask = (): Promise<RawAnswer> =>
      rawCall(proxy.url, { body: bodyOf({ dialect: 'chat', isStreamed: true }) });
    await ask();
    const after = await ask();
    await upstream.stop();
    expect(after.status).toBe(200);
    expect(after.text).toContain('[DONE]');
    expect(proxy.lines.filter((line) => line.includes('nobody foresaw'))).toEqual([]);
  });
});
