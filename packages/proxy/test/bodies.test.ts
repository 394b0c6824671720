import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { rawCall } from './raw-call.ts';
import { startProxy } from './start-proxy.ts';
import type { DialectName } from '../src/stream/dialect-streams.ts';
import type { RawAnswer } from './raw-call.ts';
import type { StartOptions } from './start-proxy.ts';
import type { UpstreamRequest } from '@throughline/testkit';

const paths: Readonly<Record<DialectName, string>> = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
};
const names = Object.keys(paths) as DialectName[];

interface Sent {
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly dialect?: DialectName;
  readonly isChunked?: boolean;
  readonly start?: StartOptions;
}

interface Seen {
  readonly answer: RawAnswer;
  readonly requests: readonly UpstreamRequest[];
}

/** One request through a proxy, and what the upstream saw of it. */
async function send({ body, headers = {}, dialect = 'chat', isChunked, start }: Sent): Promise<Seen> {
  const upstream = await createStrictUpstream({ windowTokens: 100_000 });
  await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 100_000, ...start });
  const answer = await rawCall(proxy.url, {
    path: paths[dialect],
    headers: { 'anthropic-version': '2023-06-01', ...headers },
    body,
    ...(isChunked !== undefined && { isChunked }),
  });
  await upstream.stop();
  return { answer, requests: upstream.requests };
}

/** What clients of each dialect send, with things in it that nobody would write again in the same way. */
const odd: Readonly<Record<DialectName, readonly string[]>> = {
  chat: [
    ' {\n\t"model" : "m", "messages":[ {"role":"user","content":"h\\u0065llo \\ud83d\\ude00 \\/"} ]  ,"x":1.0e3}\r\n',
    '{"model":"m","seed":12345678901234567890,"temperature":0.10000000000000000555,"messages":[{"role":"user","content":"hi"}]}',
    '{"model":"m","messages":[{"role":"user","content":"first"}],"messages":[{"role":"user","content":"second"}]}',
    '{"model":"m","unknown":{"b":1,"a":[]},"messages":[{"role":"user","content":"hi","wild":null},{"role":"developer","content":"be"},{"role":"user","content":"go"}]}',
    '{"model":"m","tools":[{"type":"wild","x":1},{"type":"function","function":{"name":"f","parameters":{},"strict":null}}],"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"wild","b":2}]}]}',
    '{"model":"m","messages":[{"role":"user","content":"lone \\ud800 half"}]}',
    '{"model":"m","messages":[null,5,{"role":"wild"},{"content":7}]}',
    '{"model":"m","messages":[]}',
    '{"messages":"not a list"}',
    '[1,2',
    '',
  ],
  messages: [
    '{"model":"m","max_tokens":16,"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]},"diagnostics":{},"speed":"fast","messages":[{"role":"user","content":"hi"}]}',
    '{"model":"m","max_tokens":16,"messages":[{"role":"system","content":"first"},{"role":"user","content":"hi"},{"role":"system","content":"reminder"}]}',
    '{"model":"m","max_tokens":16,"system":[{"type":"text","text":"be","cache_control":{"type":"ephemeral","ttl":"1h"}}],"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"},"citations":null}]}]}',
    '{"model":"m","max_tokens":16,"tools":[{"name":"t","input_schema":{"type":"object"},"input_examples":[{}],"defer_loading":true},{"type":"web_search_20990101","name":"w"}],"messages":[{"role":"user","content":"hi"}]}',
    `{"model":"m","max_tokens":16,"tools":[{"name":"t","description":"${'d'.repeat(40_000)}","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"hi"}]}`,
    '{"model":"m","max_tokens":16,"messages":[{"role":"user","content":[{"type":"container_upload","file_id":"f"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s=="},{"type":"redacted_thinking","data":"x"},{"type":"wild"}]},{"role":"user","content":"go"}]}',
    '{"model":"m","max_tokens":1e400,"messages":[{"role":"user","content":null}]}',
  ],
  responses: [
    '{"model":"m","input":"just a text"}',
    '{"model":"m","input":[{"type":"wild","x":1},{"role":"system","content":"be"},{"role":"user","content":[{"type":"input_text","text":"hi"}]},{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"}]}',
    '{"model":"m","previous_response_id":"resp_1","input":[{"role":"user","content":"hi"}]}',
    '{"model":"m","store":false,"include":["reasoning.encrypted_content"],"client_metadata":{"x":"y"},"input":[{"role":"user","content":"hi"}]}',
  ],
};

describe.each(names)('a request over %s that needs nothing', (dialect) => {
  it.each(odd[dialect].map((body) => [body.slice(0, 110), body]))(
    'goes through byte for byte: %s',
    async (_, body) => {
      const { requests } = await send({ body, dialect });
      expect(requests[0]?.bytes.toString()).toBe(body);
      expect(requests).toHaveLength(1);
    },
  );
});

describe('a request whose bytes are no text', () => {
  it.each([
    [
      'another character set',
      Buffer.from('{"model":"m","messages":[{"role":"user","content":"\xe9"}]}', 'latin1'),
    ],
    ['a byte order mark', Buffer.from('\uFEFF{"model":"m","messages":[{"role":"user","content":"hi"}]}')],
    ['zeros', Buffer.alloc(40)],
  ])('goes through byte for byte: %s', async (_, body) => {
    const { requests } = await send({ body });
    expect(requests[0]?.bytes.equals(body)).toBe(true);
  });
});

describe('headers of a request', () => {
  it('go through, unknown ones and all betas, and none is added', async () => {
    const headers = {
      'anthropic-beta': 'context-1m-2025-08-07,oauth-2025-04-20,never-heard-of-1999-01-01',
      'x-stainless-lang': 'js',
      'x-claude-code-session-id': '1',
      'user-agent': 'claude-cli/9',
      'x-api-key': 'k',
    };
    const body = '{"model":"m","max_tokens":16,"messages":[{"role":"user","content":"hi"}]}';
    const { requests } = await send({ body, headers, dialect: 'messages' });
    const { host: _, connection: __, ...told } = requests[0]?.headers ?? {};
    expect(told).toMatchObject(headers);
    expect(
      Object.keys(told)
        .filter((name) => !(name in headers))
        .toSorted(),
    ).toEqual(
      ['accept-encoding', 'anthropic-version', 'content-length', 'content-type'].filter(
        (name) => name in told,
      ),
    );
  });
});

const question = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';

const encoders = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  GZIP: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
  'gzip, zstd': (text: string) => zstdCompressSync(gzipSync(text)),
} as const;

describe('an encoded body', () => {
  it.each(Object.entries(encoders))('of %s is read, and goes through as it came', async (name, encode) => {
    const body = encode(question);
    const { requests, answer } = await send({ body, headers: { 'content-encoding': name } });
    expect(requests[0]?.bytes.equals(body)).toBe(true);
    expect(requests[0]?.headers['content-encoding']).toBe(name);
    expect(answer.headers['x-context-action']).toBe('none');
  });

  it('of deflate without its frame is read, too', async () => {
    const { answer } = await send({
      body: deflateRawSync(question),
      headers: { 'content-encoding': 'deflate' },
    });
    expect(answer.headers['x-context-action']).toBe('none');
  });

  it.each(Object.entries(encoders))('of %s is sent plain where it is edited', async (name, encode) => {
    const body = encode('{"model":"m","max_tokens":99999999, "messages":[{"role":"user","content":"hi"}]}');
    const { requests, answer } = await send({ body, headers: { 'content-encoding': name } });
    expect(answer.status).toBe(200);
    expect(requests[0]?.headers['content-encoding']).toBeUndefined();
    expect(requests[0]?.bytes.toString()).toMatch(
      /^\{"model":"m","max_tokens":\d{5}, "messages":\[\{"role":"user","content":"hi"\}\]\}$/,
    );
  });

  it.each(['lzma', 'constructor', 'toString', 'gzip, gzip, gzip', 'gzip, lzma'])(
    'that nobody knows is refused and goes nowhere: %s',
    async (name) => {
      const { answer, requests } = await send({ body: question, headers: { 'content-encoding': name } });
      expect([answer.status, requests.length]).toEqual([415, 0]);
      expect(JSON.parse(answer.text)).toMatchObject({ error: { type: 'invalid_request_error' } });
    },
  );

  it.each(['gzip', 'deflate', 'br', 'zstd'])('that is no %s is refused', async (name) => {
    const { answer, requests } = await send({ body: question, headers: { 'content-encoding': name } });
    expect([answer.status, requests.length]).toEqual([400, 0]);
  });

  it.each(['gzip', 'deflate', 'br', 'zstd'] as const)('of %s that holds a bomb is refused', async (name) => {
    const body = encoders[name](' '.repeat(3_000_000));
    const { answer, requests } = await send({
      body,
      headers: { 'content-encoding': name },
      start: { options: { maxBodyBytes: 1_000_000 } },
    });
    expect(body.byteLength).toBeLessThan(100_000);
    expect([answer.status, requests.length]).toEqual([413, 0]);
  });

  it('goes through unread for whoever turns the management off', async () => {
    const body = Buffer.from('anything');
    const { requests, answer } = await send({
      body,
      headers: { 'content-encoding': 'lzma', 'x-context': 'off' },
    });
    expect(requests[0]?.bytes.equals(body)).toBe(true);
    expect(requests[0]?.headers['x-context']).toBeUndefined();
    expect(answer.headers['x-context-action']).toBe('off');
  });
});

describe('a body that is too large', () => {
  it.each([true, false])(
    'is refused in words that clients read, without its length: %s',
    async (isChunked) => {
      const { answer, requests } = await send({
        body: 'x'.repeat(3_000_000),
        dialect: 'messages',
        isChunked,
        start: { options: { maxBodyBytes: 1_000_000 } },
      });
      expect([answer.status, requests.length]).toEqual([413, 0]);
      expect(JSON.parse(answer.text)).toMatchObject({ type: 'error', error: { type: 'request_too_large' } });
    },
  );
});
