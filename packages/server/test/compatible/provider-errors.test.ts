import { connect } from 'node:net';
import { once } from 'node:events';
import OpenAI from 'openai';
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { openServer } from '../open-server.ts';
import type { OpenedServer } from '../open-server.ts';

const tokens = [{ owner: 'ann', token: 'the-token-of-ann-is-this' }];
const json = { 'content-type': 'application/json' };
const anthropic = { 'anthropic-version': '2023-06-01' };

async function post(
  { url }: Pick<OpenedServer, 'url'>,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = '{}',
): Promise<readonly [number, unknown]> {
  const answer = await fetch(url + path, { method: 'POST', headers, body });
  return [answer.status, await answer.json()];
}

const openaiError = (type: string, code: string): unknown => ({
  error: { type, code, param: null, message: expect.any(String) },
});
const anthropicError = (type: string): unknown => ({
  type: 'error',
  error: { type, message: expect.any(String) },
  request_id: null,
});

describe('what the guards refuse is an error in the shape of the API that was asked', () => {
  it.each([
    ['/v1/chat/completions', {}, openaiError('invalid_request_error', 'invalid_api_key')],
    ['/v1/responses', {}, openaiError('invalid_request_error', 'invalid_api_key')],
    ['/v1/v1/chat/completions', {}, openaiError('invalid_request_error', 'invalid_api_key')],
    ['/v1/messages', {}, anthropicError('authentication_error')],
    ['/v1/messages/count_tokens', {}, anthropicError('authentication_error')],
    ['/v1/models', anthropic, anthropicError('authentication_error')],
  ])('without a token: %s %j', async (path, headers, expected) => {
    await using opened = await openServer({ tokens });
    expect(await post(opened, path, { ...json, ...headers })).toEqual([401, expected]);
  });

  it('but not beside those APIs', async () => {
    await using opened = await openServer({ tokens });
    expect(await post(opened, '/v10', json)).toMatchObject([401, { code: 'unauthorized' }]);
    expect(await post(opened, '/api/message', { ...json, ...anthropic })).toMatchObject([
      401,
      { code: 'unauthorized' },
    ]);
  });

  it('from a page of another origin', async () => {
    await using opened = await openServer();
    const headers = { ...json, origin: 'https://elsewhere.example' };
    expect(await post(opened, '/v1/responses', headers)).toEqual([
      403,
      openaiError('invalid_request_error', 'forbidden'),
    ]);
    expect(await post(opened, '/v1/messages', headers)).toEqual([403, anthropicError('permission_error')]);
  });

  it('with a body that is too large, or of another type', async () => {
    await using opened = await openServer({ limits: { maxBodyBytes: 1_000 } });
    const large = JSON.stringify({ model: 'x'.repeat(2_000) });
    expect(await post(opened, '/v1/chat/completions', json, large)).toEqual([
      413,
      openaiError('invalid_request_error', 'request_too_large'),
    ]);
    expect(await post(opened, '/v1/messages', json, large)).toEqual([
      413,
      anthropicError('request_too_large'),
    ]);
    expect(await post(opened, '/v1/messages', { 'content-type': 'text/plain' })).toEqual([
      415,
      anthropicError('invalid_request_error'),
    ]);
  });

  it('where too many requests are open, and tells clients to try again', async () => {
    await using opened = await openServer({ limits: { maxOpenRequests: 0 } });
    const answer = await fetch(`${opened.url}/v1/messages?beta=true`, { method: 'POST', headers: json });
    expect([answer.status, answer.headers.get('x-should-retry'), await answer.json()]).toEqual([
      429,
      'true',
      anthropicError('rate_limit_error'),
    ]);
    expect(await post(opened, '/v1/chat/completions', json)).toEqual([
      429,
      openaiError('rate_limit_error', 'rate_limit_exceeded'),
    ]);
  });

  it('while the server stops, and tells clients to try again', async () => {
    await using opened = await openServer();
    const socket = connect({ port: opened.server.address.port, host: '127.0.0.1' });
    await once(socket, 'connect');
    const head = 'GET /v1/models HTTP/1.1\r\nHost: localhost\r\nanthropic-version: 2023-06-01\r\n\r\n';
    socket.write(head.slice(0, 20));
    await fetch(`${opened.url}/health`);
    const stopped = opened.server.stop();
    socket.write(head.slice(20));
    let answer = '';
    socket.setEncoding('utf8');
    for await (const chunk of socket) answer += chunk as string;
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/^x-should-retry: true/im);
    expect(answer).toContain('"type":"overloaded_error"');
    await stopped;
  });

  it('and so is a path that nothing is served at', async () => {
    await using opened = await openServer();
    expect(await post(opened, '/v1/embeddings', json)).toEqual([
      404,
      openaiError('invalid_request_error', 'not_found'),
    ]);
    expect(await post(opened, '/v1/messages/batches', json)).toEqual([
      404,
      anthropicError('not_found_error'),
    ]);
  });

  it('which the SDKs know as their own errors', async () => {
    await using opened = await openServer({ tokens });
    const openai = new OpenAI({ baseURL: `${opened.url}/v1`, apiKey: 'wrong' });
    const error: unknown = await openai.models.list().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(error).toMatchObject({ code: 'invalid_api_key' });
    const claude = new Anthropic({ baseURL: opened.url, apiKey: 'wrong' });
    await expect(claude.models.list()).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  });
});

describe('a page of an allowed origin', () => {
  it('may send the headers by which SDKs tell of themselves', async () => {
    const origin = 'https://app.example';
    await using opened = await openServer({ tokens, allowedOrigins: [origin] });
    const wanted = [
      'authorization',
      'x-stainless-runtime-version',
      'X-Stainless-OS',
      'anthropic-beta',
      'anthropic-dangerous-direct-browser-access',
      'openai-organization',
    ];
    const answer = await fetch(`${opened.url}/v1/messages`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': [...wanted, 'x-forwarded-for', 'x-stainless-a b'].join(','),
      },
    });
    const allowed = answer.headers.get('access-control-allow-headers')?.split(', ');
    expect(allowed).toEqual(expect.arrayContaining(wanted.map((name) => name.toLowerCase())));
    expect(allowed).not.toContain('x-forwarded-for');
    expect(allowed?.join()).not.toContain('a b');
    expect(answer.headers.get('vary')).toContain('access-control-request-headers');
  });
});

describe('HEAD', () => {
  it.each([
    ['/api/hello', 404],
    ['/v1/nothing', 404],
    ['/v1', 404],
    ['/api/sessions', 200],
    ['/v1/models', 200],
    ['/v1/messages', 200],
    ['/api/message', 405],
    ['/%ff', 404],
  ])('is answered as GET is, without a body: %s is %i', async (path, status) => {
    await using opened = await openServer();
    const answer = await fetch(opened.url + path, { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([status, '']);
    expect(opened.faults).toEqual([]);
  });
});
