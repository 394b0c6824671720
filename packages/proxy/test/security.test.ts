import { createServer } from 'node:http';
import { connect } from 'node:net';
import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { rawCall } from './raw-call.ts';
import { startProxy } from './start-proxy.ts';
import type { AddressInfo } from 'node:net';

/** Bytes as they are, and what comes back until the connection is closed. */
async function sendRaw(url: string, text: string): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname });
  await once(socket, 'connect');
  socket.write(text);
  let answer = '';
  socket.setEncoding('utf8');
  for await (const chunk of socket) answer += chunk as string;
  return answer;
}

const question = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';

/** Somebody who must never be asked. */
async function startOther(): Promise<{ port: number; asked: string[] } & AsyncDisposable> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('where a request goes', () => {
  it('is not said by the request: no address in its target, and no Host', async () => {
    await using other = await startOther();
    const upstream = await createStrictUpstream();
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const evil = `127.0.0.1:${other.port}`;
    const targets = [
      `//${evil}/v1/models`,
      `/@${evil}/v1/models`,
      `/v1//${evil}/models`,
      `http://${evil}/v1/models`,
      `/v1/models?url=http://${evil}`,
      `/v1/http://${evil}`,
      `@${evil}`,
      `*`,
      `/\\\\${evil}/v1`,
    ];
    const statuses: string[] = [];
    for (const target of targets) {
      const head = `GET ${target} HTTP/1.1\r\nHost: ${evil}\r\nX-Forwarded-Host: ${evil}\r\nConnection: close\r\n\r\n`;
      statuses.push((await sendRaw(proxy.url, head)).slice(9, 12));
    }
    await upstream.stop();
    expect(other.asked).toEqual([]);
    expect(upstream.requests.every(({ headers }) => headers.host === new URL(upstream.url).host)).toBe(true);
    expect(statuses.map((status) => status[0])).not.toContain('5');
  });

  it.each([
    '/v1/../secret',
    '/v1/..%2fsecret',
    '/v1/%2e%2e/secret',
    '/v1/.%2E/secret',
    '/./v1/models',
    '/v1/a/..\\..\\secret',
    '/..',
    '/v1/models/..',
  ])('never lies beside the address of the route: %s', async (path) => {
    const upstream = await createStrictUpstream();
    await using proxy = await startProxy(`${upstream.url}/tenant/v1`);
    const answer = await rawCall(proxy.url, { path, method: 'GET' });
    await upstream.stop();
    expect([answer.status, upstream.requests.length]).toEqual([400, 0]);
  });

  it.each([
    ['/v1/models', '/tenant/v1/models'],
    ['/v1/v1/models?a=b&c=%2F', '/tenant/v1/models?a=b&c=%2F'],
    ['/api/hello', '/tenant/api/hello'],
    ['/v1/models/a%2Fb:c@d', '/tenant/v1/models/a%2Fb:c@d'],
    ["/v1/files/x|y'z{}", "/tenant/v1/files/x|y'z{}"],
    ['/v1//models', '/tenant/v1//models'],
    ['/v1/..a/b..', '/tenant/v1/..a/b..'],
  ])('is otherwise what the client wrote: %s', async (path, at) => {
    const upstream = await createStrictUpstream();
    await using proxy = await startProxy(`${upstream.url}/tenant/v1/`);
    await rawCall(proxy.url, { path, method: 'GET' });
    await upstream.stop();
    expect(upstream.requests.map((request) => request.path)).toEqual([at]);
  });
});

describe('headers', () => {
  it('that are meant for the proxy alone stay with it, and those that are named as such', async () => {
    const upstream = await createStrictUpstream();
    await using proxy = await startProxy(`${upstream.url}/v1`);
    for (const method of ['POST', 'GET']) {
      await rawCall(proxy.url, {
        path: method === 'GET' ? '/v1/models' : '/v1/chat/completions',
        method,
        body: method === 'GET' ? '' : question,
        headers: {
          'x-throughline-token': 'a-token-of-the-server',
          'x-context': 'on',
          'proxy-authorization': 'Basic a2V5',
          'proxy-connection': 'keep-alive',
          te: 'trailers',
          'keep-alive': 'timeout=5',
          connection: 'close, x-of-this-hop',
          'x-of-this-hop': 'secret',
          'x-to-the-end': 'yes',
          'x-title': Buffer.from('größe').toString('latin1'),
          authorization: 'Bearer k',
        },
      });
    }
    await upstream.stop();
    for (const { headers } of upstream.requests) {
      expect(Buffer.from(String(headers['x-title']), 'latin1').toString()).toBe('größe');
      expect(headers).toMatchObject({ 'x-to-the-end': 'yes', authorization: 'Bearer k' });
      for (const name of [
        'x-throughline-token',
        'x-context',
        'proxy-authorization',
        'proxy-connection',
        'te',
        'keep-alive',
        'x-of-this-hop',
      ])
        expect(headers[name]).toBeUndefined();
    }
    expect(upstream.requests).toHaveLength(2);
  });

  it('of a request that hold what no header can are refused before anybody sees them', async () => {
    const upstream = await createStrictUpstream();
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const head = 'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
    const bare = await sendRaw(proxy.url, `${head}X-A: b\rX-Injected: yes\r\nContent-Length: 0\r\n\r\n`);
    const both = await sendRaw(
      proxy.url,
      `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /v1/models HTTP/1.1\r\n\r\n`,
    );
    await upstream.stop();
    expect([bare.slice(9, 12), both.slice(9, 12)]).toEqual(['400', '400']);
    expect(upstream.requests).toEqual([]);
  });

  it.each(['POST', 'GET'])(
    'of an answer hold what the upstream wrote, whatever it is (%s)',
    async (method) => {
      const server = createServer((request, response) => {
        request.resume();
        response.socket?.end(
          [
            'HTTP/1.1 200 Fine',
            'content-type: application/json',
            'connection: close, x-hop',
            'x-hop: 1',
            'keep-alive: timeout=5',
            'x-model: größe – 模型',
            'set-cookie: a=1',
            'set-cookie: b=2',
            'x-ratelimit-remaining-tokens: 5',
            'access-control-allow-origin: https://the-page-of-the-upstream.example',
            '',
            '{}',
          ].join('\r\n'),
        );
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      await using proxy = await startProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
      const path = method === 'GET' ? '/v1/models' : '/v1/chat/completions';
      const answer = await rawCall(proxy.url, { path, method, body: method === 'GET' ? '' : question });
      server.close();
      expect(answer.status).toBe(200);
      expect(answer.text).toBe('{}');
      expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2']);
      expect(answer.headers['x-ratelimit-remaining-tokens']).toBe('5');
      expect(Buffer.from(String(answer.headers['x-model']), 'latin1').toString()).toBe('größe – 模型');
      expect(answer.headers['x-hop']).toBeUndefined();
      // Who may read an answer of ours is for us to say.
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    },
  );
});

describe('the key of a route', () => {
  it("takes the place of the caller's wherever that stands", async () => {
    const upstream = await createStrictUpstream();
    await using proxy = await startProxy(`${upstream.url}/v1`, { apiKey: 'the-key-of-the-route' });
    const credentials = { authorization: 'Bearer mine', 'x-api-key': 'mine', 'api-key': 'mine' };
    await rawCall(proxy.url, { body: question, headers: credentials });
    const messages = '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}';
    await rawCall(proxy.url, {
      path: '/v1/messages',
      body: messages,
      headers: { ...credentials, 'anthropic-version': '2023-06-01' },
    });
    await upstream.stop();
    const shown = upstream.requests.map(({ headers }) =>
      Object.keys(credentials).map((name) => headers[name] ?? null),
    );
    expect(shown).toEqual([
      ['Bearer the-key-of-the-route', null, null],
      [null, 'the-key-of-the-route', null],
    ]);
  });

  it("and the caller's are told nobody: not in logs, not in errors", async () => {
    const keys = ['sk-of-the-caller', 'sk-of-the-route'] as const;
    await using proxy = await startProxy('http://127.0.0.1:1/v1', {
      apiKey: keys[1],
      services: {
        discoverLimits: () => Promise.reject(new Error('no')),
        readOverflow: () => {
          throw new Error('odd');
        },
      },
    });
    const headers = { authorization: `Bearer ${keys[0]}` };
    const answers = [
      await rawCall(proxy.url, { body: question, headers }),
      await rawCall(proxy.url, { body: '{"model":"m","messages":[null]}', headers }),
      await rawCall(proxy.url, { path: '/v1/models', method: 'GET', headers }),
    ];
    const told = [...answers.map(({ text }) => text), ...proxy.lines].join('\n');
    expect(answers.map(({ status }) => status)).toEqual([502, 502, 502]);
    for (const key of keys) expect(told).not.toContain(key);
  });
});

describe('a body that never comes', () => {
  it('leaves nothing behind when its sender goes', async () => {
    const upstream = await createStrictUpstream();
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const { port } = new URL(proxy.url);
    const socket = connect({ port: Number(port), host: '127.0.0.1' });
    await once(socket, 'connect');
    socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{"model"');
    const answer = await rawCall(proxy.url, { body: question });
    socket.destroy();
    await once(socket, 'close');
    expect(answer.status).toBe(200);
    expect((await rawCall(proxy.url, { body: question })).status).toBe(200);
    await upstream.stop();
    expect(upstream.requests).toHaveLength(2);
    expect(proxy.lines).toEqual([]);
  });
});
