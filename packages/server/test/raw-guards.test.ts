import { connect } from 'node:net';
import { createRawServer } from '@throughline/server';
import { describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { RawRequest, RawServerOptions } from '@throughline/server';

const token = 'a-token-of-sixteen-letters';
const tokens = [{ owner: 'ann', token }];
const origin = 'https://app.example';

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Opened extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly reached: readonly RawRequest[];
  readonly refuse: () => void;
}

/** A server whose routes answer what they were asked, with a header that an upstream might send. */
async function open(options: RawServerOptions = {}, usual = false): Promise<Opened> {
  const reached: RawRequest[] = [];
  const server = await createRawServer(
    {
      owns: (path) => path.startsWith('/proxy/'),
      takesUsualCredentials: () => usual,
      nameOf: () => 'it',
      handle: async (asked) => {
        reached.push(asked);
        asked.request.resume();
        asked.response.writeHead(200, { 'content-type': 'text/plain' });
        asked.response.end(asked.owner);
        await Promise.resolve();
      },
    },
    { port: 0, ...options },
  );
  const { url, port } = server.address;
  return {
    url,
    port,
    reached,
    refuse: () => server.refuse(),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** Headers that `fetch` would not send. */
function ask(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'POST',
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/proxy/it/v1/models`, { method, headers, agent: false }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  socket.write(text);
  let answer = '';
  socket.setEncoding('utf8');
  for await (const chunk of socket) answer += chunk as string;
  return answer;
}

describe('a raw route, and a page of another site that was given our address', () => {
  it.each(['evil.example', 'evil.example:4100', 'localhost.evil.example', '127.0.0.1.nip.io'])(
    'is refused by its Host %j',
    async (host) => {
      await using opened = await open();
      const { status, text } = await ask(opened.url, { host });
      expect([status, opened.reached.length]).toEqual([403, 0]);
      expect(JSON.parse(text)).toMatchObject({ type: 'error', error: { type: 'forbidden-host' } });
    },
  );

  it.each(['GET /proxy/it HTTP/1.0\r\n\r\n', 'GET /proxy/it HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n'])(
    'is refused without one: %j',
    async (head) => {
      await using opened = await open();
      expect(await sendRaw(opened.port, head)).toMatch(/^HTTP\/1\.1 40[03] /);
      expect(opened.reached).toEqual([]);
    },
  );

  it('is refused by its Host even if the target names us', async () => {
    await using opened = await open();
    const head = `GET http://127.0.0.1/proxy/it HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`;
    expect(await sendRaw(opened.port, head)).toMatch(/^HTTP\/1\.1 40[034] /);
    expect(opened.reached).toEqual([]);
  });

  it('is served where the configuration allows its name', async () => {
    await using opened = await open({ allowedHosts: ['Agent.Example'] });
    expect((await ask(opened.url, { host: 'agent.example:443' })).status).toBe(200);
  });
});

describe('a raw route, and a page of another origin', () => {
  it.each(['http://evil.example', 'http://127.0.0.1:1', 'null', 'http://localhost'])(
    'is refused by its Origin %s',
    async (other) => {
      await using opened = await open();
      expect((await ask(opened.url, { origin: other })).status).toBe(403);
      expect(opened.reached).toEqual([]);
    },
  );

  it.each([
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 403],
    [{ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, 403],
    [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }, 200],
  ])('that hides its origin is told by what its browser says: %j is %i', async (headers, status) => {
    await using opened = await open();
    expect((await ask(opened.url, headers)).status).toBe(status);
  });

  it('may call and read where the configuration allows it, and asks first, without a token', async () => {
    await using opened = await open({ tokens, allowedOrigins: [origin] });
    const wanted =
      'x-api-key,anthropic-version,anthropic-dangerous-direct-browser-access,x-stainless-lang,x-throughline-token,x-context';
    const preflight = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': wanted,
    };
    const first = await ask(opened.url, preflight, 'OPTIONS');
    expect(first.status).toBe(204);
    expect(first.headers['access-control-allow-origin']).toBe(origin);
    expect(opened.reached).toEqual([]);
    const allowed = String(first.headers['access-control-allow-headers']);
    for (const name of wanted.split(',')) expect(allowed).toContain(name);
    const answer = await ask(opened.url, { origin, 'x-throughline-token': token });
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBe(origin);
    expect(answer.headers['access-control-expose-headers']).toBe('*');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    expect(answer.headers.vary).toMatch(/origin/);
  });

  it('reads why it was refused, too', async () => {
    await using opened = await open({ tokens, allowedOrigins: [origin] });
    const answer = await ask(opened.url, { origin });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([401, origin]);
  });

  it('learns nothing by asking first where it is not allowed', async () => {
    await using opened = await open({ allowedOrigins: [origin] });
    const answer = await ask(opened.url, { origin: 'https://evil.example' }, 'OPTIONS');
    expect(answer.status).toBe(403);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('a raw route, and a request that a page may send without asking first', () => {
  it('is refused by what its browser says of it, whatever its type', async () => {
    await using opened = await open();
    const headers = { 'content-type': 'text/plain', origin: 'http://evil.example' };
    expect((await ask(opened.url, headers)).status).toBe(403);
  });
});

describe('a raw route, and the token of the server', () => {
  it.each([
    ['none', {}],
    ['a wrong one', { 'x-throughline-token': 'wrong' }],
    ['the right one and more', { 'x-throughline-token': `${token}x` }],
    ['the right one where the key of the upstream stands', { authorization: `Bearer ${token}` }],
    ['the right one in the address', { 'x-path': `?token=${token}` }],
  ])('is required: %s is not enough', async (_, headers) => {
    await using opened = await open({ tokens });
    const { status, text } = await ask(opened.url, headers);
    expect([status, opened.reached.length]).toEqual([401, 0]);
    expect(JSON.parse(text)).toMatchObject({ error: { type: 'unauthorized' } });
  });

  it.each([
    ['its own header', false, { 'x-throughline-token': token }],
    [
      'its own header, beside a key of the upstream',
      false,
      { 'x-throughline-token': token, authorization: 'Bearer k' },
    ],
    ['the place of a key, where the route has its own', true, { authorization: `Bearer ${token}` }],
    ['the other place of a key, where the route has its own', true, { 'x-api-key': token }],
  ] as const)('says who calls: in %s', async (_, usual, headers) => {
    await using opened = await open({ tokens }, usual);
    expect(await ask(opened.url, headers)).toMatchObject({ status: 200, text: 'ann' });
  });
});

describe('a raw route of a server that stops', () => {
  it('takes nothing any more, and says when to come back', async () => {
    await using opened = await open();
    opened.refuse();
    const { status, headers } = await ask(opened.url);
    expect([status, headers['retry-after'], opened.reached.length]).toEqual([503, '1', 0]);
  });
});

describe('a server of raw routes, asked whether it is ready', () => {
  const readyOf = async ({ url }: Opened): Promise<unknown> => {
    const answer = await fetch(`${url}/ready`);
    return [answer.status, await answer.json()];
  };

  it('says nothing of a store where there is none', async () => {
    await using opened = await open();
    expect(await readyOf(opened)).toEqual([200, { ready: true }]);
  });

  it('stays ready without its store, and says whether that answers', async () => {
    const answers: (() => Promise<unknown>)[] = [
      () => Promise.resolve([]),
      () => Promise.reject(new Error('gone')),
      () => new Promise(() => {}),
    ];
    const askStore = (): Promise<unknown> => (answers.shift() ?? expect.unreachable)();
    await using opened = await open({ askStore, readyTimeoutMs: 20 });
    expect(await readyOf(opened)).toEqual([200, { ready: true, store: 'ok' }]);
    expect(await readyOf(opened)).toEqual([200, { ready: true, store: 'failed' }]);
    expect(await readyOf(opened)).toEqual([200, { ready: true, store: 'failed' }]);
  });

  it('is not ready while it stops', async () => {
    await using opened = await open({ askStore: () => Promise.resolve([]) });
    opened.refuse();
    expect(await readyOf(opened)).toEqual([503, { ready: false }]);
  });
});

describe('a raw route, and another protocol', () => {
  it('says at once that there is none', async () => {
    await using opened = await open();
    const head =
      'GET /proxy/it/v1/responses HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    expect(await sendRaw(opened.port, head)).toMatch(/^HTTP\/1\.1 426 /);
    expect(opened.reached).toEqual([]);
  });
});

describe('a request to routes whose bytes are handed on', () => {
  it('may not take for ever to arrive', async () => {
    const server = await createRawServer(
      {
        owns: () => true,
        takesUsualCredentials: () => true,
        nameOf: () => 'it',
        handle: async ({ request: asked, response }) => {
          // As an upstream would wait for it.
          for await (const _ of asked);
          response.end('all of it');
        },
      },
      { port: 0, limits: { headersTimeoutMs: 100, requestTimeoutMs: 100 } },
    );
    const head = 'POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf';
    const answer = await sendRaw(server.address.port, head);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).not.toContain('all of it');
    await server.stop();
  });
});
