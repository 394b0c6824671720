import { describe, expect, it, vi } from 'vitest';
import { connect } from 'node:net';
import { createServerLog } from '../../src/server-log.ts';
import { once } from 'node:events';
import { openServer } from '../open-server.ts';
import { systemTimer } from '@throughline/ports';
import type { LogLevel } from '../../src/server-log.ts';
import type { OpenedServer } from '../open-server.ts';

const tokens = [{ owner: 'ann', token: 'token-of-ann-0123456789' }];
const authorization = `Bearer ${tokens[0]?.token}`;

function openLog(level: LogLevel = 'debug') {
  const lines: string[] = [];
  const log = createServerLog(level, (line) => void lines.push(line));
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

function say({ url }: OpenedServer, content: string, more: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/api/message?wait=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more },
    body: JSON.stringify({ content }),
  });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await systemTimer.wait(2);
}

const codeOf = async (answer: Response): Promise<unknown> => [
  answer.status,
  ((await answer.json()) as { code?: unknown }).code,
];

describe('health and readiness', () => {
  it('tells anybody that it lives and can work, and its version to who may call', async () => {
    await using opened = await openServer({ tokens, version: '1.2.3' });
    const health = await fetch(`${opened.url}/health`);
    expect(await health.json()).toEqual({ ok: true, name: 'throughline' });
    const known = await fetch(`${opened.url}/health`, { headers: { authorization } });
    expect(await known.json()).toEqual({ ok: true, name: 'throughline', version: '1.2.3' });
    expect(await (await fetch(`${opened.url}/ready`)).json()).toEqual({ ready: true });
  });

  it('is not ready, and lives, while it refuses what is new', async () => {
    await using opened = await openServer();
    opened.server.refuse();
    expect(await codeOf(await fetch(`${opened.url}/ready`))).toEqual([503, 'shutting-down']);
    expect(await codeOf(await say(opened, 'help'))).toEqual([503, 'shutting-down']);
    expect((await fetch(`${opened.url}/health`)).status).toBe(200);
  });

  it('is not ready when its store does not answer', async () => {
    await using opened = await openServer({ readyTimeoutMs: 5 });
    const { store } = opened.services.agent;
    const list = vi.spyOn(store.sessions, 'list').mockReturnValue(new Promise(() => {}));
    expect(await codeOf(await fetch(`${opened.url}/ready`))).toEqual([503, 'store-failed']);
    list.mockRestore();
    expect((await fetch(`${opened.url}/ready`)).status).toBe(200);
    await store[Symbol.asyncDispose]();
    expect(await codeOf(await fetch(`${opened.url}/ready`))).toEqual([503, 'store-failed']);
  });

  it('lets what is being answered come to its end while it refuses what is new', async () => {
    await using opened = await openServer({ wordDelayMs: 5 });
    const answer = say(opened, 'help');
    await until(() => opened.services.agent.busyCount === 1);
    opened.server.refuse();
    expect(((await (await answer).json()) as { reply: string }).reply).toContain('demo model');
  });

  it('does not wait for a client that has connected and asks nothing', async () => {
    await using opened = await openServer({
      limits: { stopGraceMs: 600_000, headersTimeoutMs: 600_000, requestTimeoutMs: 600_000 },
    });
    const socket = connect(Number(new URL(opened.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    await opened.server.stop();
    await closed;
  });

  it('tells streams of events why they end, and when to come back', async () => {
    await using opened = await openServer();
    const { id } = await opened.services.agent.create();
    const stream = await fetch(`${opened.url}/api/sessions/${id}/events`);
    opened.server.refuse();
    const text = await stream.text();
    expect(text).toMatch(/^retry: \d+\n/);
    expect(text).toContain('event: stream:closed\ndata: {"reason":"server-stopping"}\n\n');
  });
});

describe('/metrics', () => {
  const numbers = async ({ url }: OpenedServer, headers: Record<string, string> = {}): Promise<string> =>
    await (await fetch(`${url}/metrics`, { headers })).text();

  it('counts requests by route, runs, steps and what is open', async () => {
    await using opened = await openServer({ version: '1.2.3', nodeName: 'one' });
    const { sessionId } = (await (await say(opened, 'help')).json()) as { sessionId: string };
    await fetch(`${opened.url}/api/sessions/${sessionId}`);
    await fetch(`${opened.url}/api/sessions/nobody`);
    await fetch(`${opened.url}/nowhere/at/all`);
    const reading = new AbortController();
    await fetch(`${opened.url}/api/sessions/${sessionId}/events`, { signal: reading.signal });
    const text = await numbers(opened);
    for (const line of [
      'throughline_http_requests_total{method="POST",route="/api/message",status="200"} 1',
      'throughline_http_requests_total{method="GET",route="/api/sessions/:id",status="200"} 1',
      'throughline_http_requests_total{method="GET",route="/api/sessions/:id",status="404"} 1',
      'throughline_http_requests_total{method="GET",route="none",status="404"} 1',
      'throughline_http_open_requests 2',
      'throughline_http_open_streams 1',
      'throughline_event_subscribers 1',
      'throughline_runs_started_total{resumed="false"} 1',
      'throughline_runs_ended_total{outcome="completed"} 1',
      'throughline_busy_sessions 0',
      'throughline_queued_messages 0',
      'throughline_build_info{version="1.2.3",node="one"} 1',
    ])
      expect(text).toContain(`\n${line}\n`);
    expect(text).toMatch(/^throughline_step_duration_seconds_count [1-9]/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d/m);
    reading.abort();
    for (let now = text; now.includes('open_streams 1'); now = await numbers(opened))
      await systemTimer.wait(2);
    expect(await numbers(opened)).toContain('throughline_event_subscribers 0');
  });

  it('counts what the store refuses, and tells the rest', async () => {
    await using opened = await openServer();
    await opened.services.agent.store[Symbol.asyncDispose]();
    await fetch(`${opened.url}/ready`);
    expect(await numbers(opened)).toContain('throughline_http_open_requests 1');
    expect(await numbers(opened)).toMatch(/^throughline_store_errors_total\{code="store-failed"\} [1-9]/m);
  });

  it('holds no id, no text and no address that somebody has written', async () => {
    await using opened = await openServer();
    const { sessionId } = (await (await say(opened, 'a secret word')).json()) as { sessionId: string };
    await fetch(`${opened.url}/api/sessions/${sessionId}?token=hidden`, {
      headers: { 'x-request-id': 'mine' },
    });
    const text = await numbers(opened);
    for (const word of [sessionId, 'secret', 'hidden', 'mine']) expect(text).not.toContain(word);
  });

  it('is not for an owner, unless he is named for it: the numbers are those of all', async () => {
    const owners = ['', 'ann', 'prometheus'].map((owner) => ({ owner, token: `the-token-of-${owner}-0000` }));
    await using opened = await openServer({ tokens: owners, metricsOwners: ['prometheus'] });
    const statuses = owners.map(
      async ({ token }) =>
        (await fetch(`${opened.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 403, 200]);
  });

  it('is for who shows a token where one is asked for, and can be switched off', async () => {
    await using guarded = await openServer({ tokens: [{ owner: '', token: 'token-of-ann-0123456789' }] });
    expect((await fetch(`${guarded.url}/metrics`)).status).toBe(401);
    expect(await numbers(guarded, { authorization })).toContain('throughline_http_open_requests 1');
    await using silent = await openServer({ metrics: false });
    expect((await fetch(`${silent.url}/metrics`)).status).toBe(404);
  });
});

describe('the log', () => {
  it('has a line for each request: id, route, status, time and owner, and nothing that was said', async () => {
    const { log, lines, parsed } = openLog();
    await using opened = await openServer({ log, tokens });
    const headers = { authorization, 'x-request-id': 'from-my-proxy.1' };
    const answer = await say(opened, 'a secret word', headers);
    expect(answer.headers.get('x-request-id')).toBe('from-my-proxy.1');
    await fetch(`${opened.url}/api/sessions?cursor=hidden&token=hidden`, {
      headers: { authorization: 'Bearer wrong-and-long-0123' },
    });
    await until(() => lines.length === 2);
    expect(parsed()).toMatchObject([
      {
        level: 'info',
        id: 'from-my-proxy.1',
        method: 'POST',
        route: '/api/message',
        status: 200,
        owner: 'ann',
      },
      { level: 'info', method: 'GET', status: 401 },
    ]);
    for (const line of parsed()) expect(line['durationMs']).toBeTypeOf('number');
    for (const word of ['secret', 'hidden', 'wrong-and-long', tokens[0]?.token ?? ''])
      expect(lines.join('')).not.toContain(word);
  });

  it.each(['', 'with blanks', 'x'.repeat(129), '"quoted"', '<script>'])(
    'makes an id of its own in the place of %j',
    async (given) => {
      await using opened = await openServer();
      const answer = await fetch(`${opened.url}/health`, { headers: { 'x-request-id': given } });
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  it('tells of refused requests, broken off ones and streams, once each, when they are over', async () => {
    const { log, lines, parsed } = openLog();
    await using opened = await openServer({ log });
    const { id } = await opened.services.agent.create();
    const reading = new AbortController();
    const { signal } = reading;
    const stream = await fetch(`${opened.url}/api/sessions/${id}/events`, { signal });
    expect(stream.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(
      (await fetch(`${opened.url}/api/sessions`, { headers: { origin: 'https://evil.example' } })).status,
    ).toBe(403);
    await until(() => lines.length === 1);
    reading.abort();
    await until(() => lines.length === 2);
    expect(parsed()).toMatchObject([
      { method: 'GET', status: 403 },
      { method: 'GET', route: '/api/sessions/:id/events', status: 200 },
    ]);
  });

  it('leaves out what machines ask for every few seconds, unless it is told to have it', async () => {
    const { log, lines } = openLog('info');
    await using opened = await openServer({ log });
    for (const path of ['/health', '/ready', '/metrics', '/api/sessions']) await fetch(opened.url + path);
    await until(() => lines.length === 1);
    expect(lines[0]).toContain('"/api/sessions"');
  });
});
