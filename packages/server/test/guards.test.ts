import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { openServer } from './open-server.ts';
import { request } from 'node:http';
import type { Problem } from '@throughline/protocol';

const token = 'a-token-of-sixteen-letters';
const tokens = [{ owner: 'ann', token }];

/** Headers that `fetch` would not send. */
function ask(url: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** Bytes as they are, and what comes back until the connection is closed. */
async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  socket.write(text);
  let answer = '';
  socket.setEncoding('utf8');
  for await (const chunk of socket) answer += chunk as string;
  return answer;
}

describe('a server without tokens', () => {
  it('refuses to listen where others could reach it', async () => {
    await expect(openServer({ host: '0.0.0.0' })).rejects.toThrow('tokens must be at least one');
  });

  it('says that it is there', async () => {
    await using opened = await openServer();
    const answer = await fetch(`${opened.url}/health`);
    expect([answer.status, await answer.json()]).toEqual([200, { ok: true, name: 'throughline' }]);
  });

  it('answers problem details where there is nothing', async () => {
    await using opened = await openServer();
    const answer = await fetch(`${opened.url}/nowhere`);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toMatchObject({ status: 404, code: 'not-found', data: { id: '/nowhere' } });
  });
});

describe('a page of another site that was given our address', () => {
  it.each(['evil.example', 'evil.example:4100', 'localhost.evil.example', '127.0.0.1.nip.io'])(
    'is refused by its Host %j',
    async (host) => {
      await using opened = await openServer();
      expect(await ask(`${opened.url}/health`, { host })).toBe(403);
    },
  );

  it.each(['GET /health HTTP/1.0\r\n\r\n', 'GET /health HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n'])(
    'is refused without one: %j',
    async (head) => {
      await using opened = await openServer();
      expect(await sendRaw(opened.server.address.port, head)).toMatch(/^HTTP\/1\.1 40[03] /);
    },
  );

  it('is served where the configuration allows its name', async () => {
    await using opened = await openServer({ allowedHosts: ['Agent.Example'] });
    expect(await ask(`${opened.url}/health`, { host: 'agent.example:443' })).toBe(200);
  });
});

describe('a page of another origin', () => {
  it.each(['http://evil.example', 'http://127.0.0.1:1', 'null', 'http://localhost'])(
    'is refused by its Origin %s',
    async (origin) => {
      await using opened = await openServer();
      expect(await ask(`${opened.url}/health`, { origin })).toBe(403);
    },
  );

  it.each([
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 403],
    [{ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, 403],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, 200],
    [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }, 200],
    [{ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, 200],
  ])('that hides its origin is told by what its browser says: %j is %i', async (headers, status) => {
    await using opened = await openServer();
    expect(await ask(`${opened.url}/health`, headers)).toBe(status);
  });

  it('may call and read where the configuration allows it, and asks first', async () => {
    const origin = 'https://app.example';
    await using opened = await openServer({ tokens, allowedOrigins: [origin] });
    const first = await fetch(`${opened.url}/api/message`, { method: 'OPTIONS', headers: { origin } });
    expect(first.status).toBe(204);
    expect(first.headers.get('access-control-allow-headers')).toContain('authorization');
    const answer = await fetch(`${opened.url}/nowhere`, {
      headers: { origin, authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('a request that a page may send without asking first', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'Text/Plain; x',
  ])('changes nothing: %s', async (type) => {
    await using opened = await openServer();
    const answer = await fetch(`${opened.url}/api/message`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: '{"content":"hello"}',
    });
    expect([answer.status, await answer.json()]).toMatchObject([415, { code: 'unsupported-media-type' }]);
  });
});

describe('a token', () => {
  const with_ = (headers: Readonly<Record<string, string>>, query = ''): Promise<Response> =>
    openedWith(tokens, `/nowhere${query}`, headers);

  async function openedWith(
    known: typeof tokens,
    path: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    await using opened = await openServer({ tokens: known });
    const answer = await fetch(opened.url + path, { headers });
    return new Response(await answer.text(), answer);
  }

  it.each([
    ['none', {}],
    ['a wrong one', { authorization: 'Bearer wrong' }],
    ['the right one without its scheme', { authorization: token }],
    ['the right one and more', { authorization: `Bearer ${token}x` }],
    ['another scheme', { authorization: `Basic ${token}` }],
  ])('is required: %s is not enough', async (_, headers) => {
    const answer = await with_(headers);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="throughline"',
    ]);
    expect(((await answer.json()) as Problem).code).toBe('unauthorized');
  });

  it('does not count in the address', async () => {
    expect((await with_({}, `?token=${token}&access_token=${token}`)).status).toBe(401);
  });

  it.each([
    { authorization: `Bearer ${token}` },
    { authorization: `bearer  ${token}` },
    { 'x-api-key': token },
  ])('lets its owner in as %j', async (headers) => {
    expect((await with_(headers as Record<string, string>)).status).toBe(404);
  });

  it('is not needed to see that the server is there, and then nothing of its set-up is told', async () => {
    await using opened = await openServer({ tokens, about: [['model', 'secret-model']] });
    const answer = await fetch(opened.url);
    expect(answer.status).toBe(200);
    expect(await answer.text()).not.toContain('secret-model');
  });

  it('that is short is refused before anything is served, and not repeated', async () => {
    const error: unknown = await openServer({ tokens: [{ owner: 'a', token: 'short' }] }).catch(
      (refused: unknown) => refused,
    );
    expect(String(error)).toContain('at least 16');
    expect(JSON.stringify(error) + String(error)).not.toContain('short');
  });
});

describe('what is no request', () => {
  it('is answered with problem details and a closed connection', async () => {
    await using opened = await openServer();
    const answer = await sendRaw(opened.server.address.port, 'nonsense\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"bad-request"');
  });

  it.each(['GET /health HTTP/1.1\r\nHost: a b', 'GET * HTTP/1.1\r\nHost: localhost'])(
    'is answered with problem details where %j has no address that can be read',
    async (head) => {
      await using opened = await openServer();
      const answer = await sendRaw(opened.server.address.port, `${head}\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('"code":"bad-request"');
    },
  );

  it('may not have more headers than the limit', async () => {
    await using opened = await openServer();
    const flood = `GET /health HTTP/1.1\r\nHost: localhost\r\nx-flood: ${'a'.repeat(20_000)}\r\n\r\n`;
    expect(await sendRaw(opened.server.address.port, flood)).toContain('"code":"headers-too-large"');
  });

  it('may come over a minute after the one before it on the same connection', async () => {
    await using opened = await openServer();
    const { headers } = await fetch(`${opened.url}/health`);
    expect(headers.get('keep-alive')).toBe('timeout=65');
  });

  it('may not take for ever to arrive', async () => {
    await using opened = await openServer({ limits: { headersTimeoutMs: 100, requestTimeoutMs: 100 } });
    const answer = await sendRaw(
      opened.server.address.port,
      'POST /api/message HTTP/1.1\r\nHost: localhost\r\n',
    );
    expect(answer).toContain('"code":"request-timeout"');
  });
});

describe('bytes that are no request', () => {
  const head = (length: number): string =>
    ['Host: localhost', 'Content-Type: application/json', `Content-Length: ${length}`].join('\r\n');

  it.each([
    ['on their own are answered', '', 1],
    ['behind an answer that has gone out are answered', 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n', 2],
  ])('%s', async (_, before, answers) => {
    await using opened = await openServer();
    const socket = connect({ port: opened.server.address.port, host: '127.0.0.1' });
    await once(socket, 'connect');
    socket.setEncoding('utf8');
    let told = '';
    socket.on('data', (chunk: string) => (told += chunk));
    socket.write(before);
    while (before !== '' && !told.includes('"ok":true')) await once(socket, 'data');
    socket.write('%$# garbage\r\n\r\n');
    await once(socket, 'close');
    expect(told.match(/HTTP\/1\.1 /g)).toHaveLength(answers);
    expect(told).toMatch(/HTTP\/1\.1 400 .*"code":"bad-request"/s);
  });

  it.each([
    ['in the middle of a stream', 'text/event-stream', 'llm:chunk'],
    ['before an answer that is still to come', 'application/json', undefined],
  ])('%s end the connection, and nothing is written into that answer', async (_, accept, until) => {
    await using opened = await openServer({ wordDelayMs: 20 });
    const socket = connect({ port: opened.server.address.port, host: '127.0.0.1' });
    await once(socket, 'connect');
    socket.setEncoding('utf8');
    let told = '';
    socket.on('data', (chunk: string) => (told += chunk));
    const body = '{"content":"tell me 500 words"}';
    socket.write(
      `POST /api/message?wait=true HTTP/1.1\r\nAccept: ${accept}\r\n${head(body.length)}\r\n\r\n${body}`,
    );
    while (until !== undefined && !told.includes(until)) await once(socket, 'data');
    socket.write('%$# garbage\r\n\r\n');
    await once(socket, 'close');
    expect(told).not.toContain('HTTP/1.1 400');
    expect(told.match(/HTTP\/1\.1 /g) ?? []).toHaveLength(until === undefined ? 0 : 1);
    expect((await fetch(`${opened.url}/ready`)).status).toBe(200);
  });
});

describe('a stop', () => {
  it('refuses what comes on connections that are open, and closes them', async () => {
    await using opened = await openServer();
    const socket = connect({ port: opened.server.address.port, host: '127.0.0.1' });
    await once(socket, 'connect');
    const head = 'GET /ready HTTP/1.1\r\nHost: localhost\r\n\r\n';
    // Half of a request keeps the connection from being idle.
    socket.write(head.slice(0, 20));
    await fetch(`${opened.url}/health`);
    const stopped = opened.server.stop();
    socket.write(head.slice(20));
    let answer = '';
    socket.setEncoding('utf8');
    for await (const chunk of socket) answer += chunk as string;
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toContain('"code":"shutting-down"');
    await stopped;
    await expect(fetch(`${opened.url}/health`)).rejects.toThrow();
  });

  it('can be asked for twice', async () => {
    await using opened = await openServer();
    await Promise.all([opened.server.stop(), opened.server.stop()]);
    await opened.server.stop();
  });
});

it('answers no more requests at a time than the limit, and those that are left', async () => {
  await using opened = await openServer({ limits: { maxOpenRequests: 0 } });
  const answer = await fetch(`${opened.url}/health`);
  expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toMatchObject([
    429,
    '1',
    { code: 'too-many-requests' },
  ]);
});
