import { afterAll, beforeAll, expect, it } from 'vitest';
import { openServer } from './open-server.ts';
import { otherRoutes, problems } from '@throughline/protocol';
import type { OpenedServer } from './open-server.ts';

const token = 'the-token-of-nobody-2';
let opened: OpenedServer;
let page: string;

beforeAll(async () => {
  opened = await openServer({ tokens: [{ owner: '', token }] });
  page = await (await fetch(`${opened.url}/errors`)).text();
});

afterAll(() => opened[Symbol.asyncDispose]());

it.each(Object.entries(problems))(
  'the type of a problem leads to what it is: %s',
  (code, { status, title }) => {
    const [, section = ''] = page.split(`<h2 id="${code}">`);
    const [own = ''] = section.split('<h2');
    expect(own).toContain(title);
    expect(own).toContain(`status ${status}`);
    expect(own.replace(/<[^>]*>/g, '').length).toBeGreaterThan(title.length + 40);
  },
);

it('the page of problems needs no token, runs nothing, and is where a problem says', async () => {
  const { type } = (await (await fetch(`${opened.url}/api/sessions`)).json()) as { type: string };
  const answer = await fetch(new URL(type, opened.url));
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page).toContain('<code>details</code>');
  expect(page).not.toContain('`');
});

it.each(Object.entries(otherRoutes))(
  'what the document names beside the API is served: %s',
  async (_, route) => {
    const answer = await fetch(opened.url + route.path.replace(':id', 'none'), {
      method: route.method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(route.method === 'POST' && { body: '{}' }),
    });
    const text = await answer.text();
    expect(text).not.toContain('Nothing is served at');
    expect(answer.status).not.toBe(405);
  },
);

it.each([
  ['POST', '/health', 'GET, HEAD'],
  ['DELETE', '/ready', 'GET, HEAD'],
  ['POST', '/metrics', 'GET, HEAD'],
  ['POST', '/errors', 'GET, HEAD'],
  ['PUT', '/', 'GET, HEAD'],
  ['GET', '/api/chat', 'POST'],
  ['POST', '/api/openapi.json', 'GET, HEAD'],
  ['POST', '/v1/models', 'GET, HEAD'],
  ['DELETE', '/v1/messages', 'POST'],
])('what is served beside the API says which methods it takes: %s %s', async (method, path, allow) => {
  const answer = await fetch(opened.url + path, { method, headers: { authorization: `Bearer ${token}` } });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
});
