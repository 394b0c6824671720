import { connect } from 'node:net';
import { once } from 'node:events';
import { createClient } from '@throughline/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openEventServer, testFolder, until } from './event-server.ts';
import type { EventServer } from './event-server.ts';
import type { Socket } from 'node:net';

/** A connection that one can stop reading from. */
async function ask(server: EventServer, path: string, headers: Readonly<Record<string, string>> = {}) {
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const received = { text: '', bytes: 0 };
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => (received.text += text));
  socket.on('error', () => {});
  await once(socket, 'connect');
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return { socket, received };
}

const seqsIn = (text: string): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));

async function rename(server: EventServer, id: string, ...titles: readonly string[]): Promise<void> {
  const session = await server.agent.open(id);
  for (const title of titles) await session.rename(title);
}

const isGone = (socket: Socket): Promise<unknown> => once(socket, 'close');

describe('GET /api/sessions/:id/events', () => {
  it('sends events with type, number and JSON, and tells proxies to hand them on at once', async () => {
    const server = await openEventServer({ folder: await testFolder() });
    const { id } = await server.agent.create();
    await rename(server, id, 'One');
    const { received } = await ask(server, `/api/sessions/${id}/events`);
    await until(() => received.text.includes('id: 1\n'));
    await rename(server, id, 'Two\nlines');
    await until(() => received.text.includes('id: 2\n'));
    expect(received.text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(received.text).toContain('content-type: text/event-stream; charset=utf-8\r\n');
    expect(received.text).toContain('x-accel-buffering: no\r\n');
    expect(received.text).toContain('retry: 1000\n');
    const [, data = ''] = /event: session:updated\nid: 2\ndata: (.*)\n\n/.exec(received.text) ?? [];
    expect(JSON.parse(data)).toMatchObject({
      seq: 2,
      type: 'session:updated',
      data: { title: 'Two\nlines' },
    });
  });

  it('goes on behind the number of the header, which counts more than that of the address', async () => {
    const server = await openEventServer({ folder: await testFolder() });
    const { id } = await server.agent.create();
    await rename(server, id, 'One', 'Two', 'Three', 'Four');
    const path = `/api/sessions/${id}/events?after=1`;
    const [byAddress, byHeader] = await Promise.all([
      ask(server, path),
      ask(server, path, { 'last-event-id': '3' }),
    ]);
    await until(
      () => byAddress.received.text.includes('id: 4\n') && byHeader.received.text.includes('id: 4\n'),
    );
    expect(seqsIn(byAddress.received.text)).toEqual([2, 3, 4]);
    expect(seqsIn(byHeader.received.text)).toEqual([4]);
  });

  it('refuses a number that no event of the session has yet', async () => {
    const server = await openEventServer({ folder: await testFolder() });
    const { id } = await server.agent.create();
    await rename(server, id, 'One', 'Two');
    const { received } = await ask(server, `/api/sessions/${id}/events?after=3`);
    await until(() => received.text.includes('"faults"'));
    expect(received.text).toMatch(/^HTTP\/1\.1 400/);
    expect(received.text).toContain('3 is no event of this session: its last is 2.');
    expect(received.text).toContain('"path":"query.after"');
  });

  it.each(['-1', '1.5', 'abc', '1e3', '99999999999999999999'])(
    'refuses %s, which is no number of an event',
    async (after) => {
      const server = await openEventServer({ folder: await testFolder() });
      const { id } = await server.agent.create();
      const { received } = await ask(server, `/api/sessions/${id}/events`, { 'last-event-id': after });
      await until(() => received.text.includes('"faults"'));
      expect(received.text).toMatch(/^HTTP\/1\.1 400/);
      expect(received.text).toContain('"path":"header.last-event-id"');
    },
  );

  it('does not show a session to others, nor whether there is one', async () => {
    const tokens = ['ada', 'bob'].map((owner) => ({ owner, token: `token-of-${owner}-long-enough` }));
    const server = await openEventServer({ folder: await testFolder(), tokens });
    const { id } = await server.agent.create({ owner: 'ada' });
    const statuses: unknown[] = [];
    for (const [owner, asked] of [
      ['ada', id],
      ['bob', id],
      ['bob', id.replace(/.$/, '_')],
    ] as const) {
      const url = `${server.url}/api/sessions/${asked}/events`;
      const response = await fetch(url, {
        headers: { authorization: `Bearer token-of-${owner}-long-enough` },
      });
      statuses.push(
        response.ok ? 200 : ((await response.json()) as { detail: string }).detail.replaceAll(asked, 'ID'),
      );
      if (!response.bodyUsed) await response.body?.cancel();
    }
    expect(statuses).toEqual([200, 'There is no session ID.', 'There is no session ID.']);
  });

  it('may be read by pages of the origins that are allowed, and carries what every answer does', async () => {
    const origin = 'https://app.example';
    const server = await openEventServer({ folder: await testFolder(), allowedOrigins: [origin] });
    const { id } = await server.agent.create();
    for (let time = 0; time < 3; time += 1) {
      const response = await fetch(`${server.url}/api/sessions/${id}/events`, { headers: { origin } });
      expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      expect(response.headers.get('vary')).toBe('origin');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
      expect(response.headers.get('x-hono-already-sent')).toBeNull();
      await response.body?.cancel();
    }
  });

  it('answers HEAD with the headers alone', async () => {
    const server = await openEventServer({ folder: await testFolder() });
    const { id } = await server.agent.create();
    const response = await fetch(`${server.url}/api/sessions/${id}/events`, { method: 'HEAD' });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(await response.text()).toBe('');
    await until(() => server.open.size === 0);
  });

  it('sends comments while nothing happens', async () => {
    const server = await openEventServer({ folder: await testFolder(), heartbeatMs: 5 });
    const { id } = await server.agent.create();
    const { received } = await ask(server, `/api/sessions/${id}/events`);
    await until(() => received.text.split(': still here').length > 3);
    await rename(server, id, 'One');
    await until(() => received.text.includes('id: 1\n'));
    expect(seqsIn(received.text)).toEqual([1]);
  });

  it('finds with the heartbeat what another process has stored', async () => {
    const folder = await testFolder();
    const server = await openEventServer({ folder, heartbeatMs: 5 });
    const other = await openEventServer({ folder });
    const { id } = await server.agent.create();
    const { received } = await ask(server, `/api/sessions/${id}/events`);
    await until(() => received.text.includes('still here'));
    await rename(other, id, 'Elsewhere');
    await until(() => received.text.includes('Elsewhere'));
    await rename(server, id, 'Here');
    await until(() => received.text.includes('id: 2\n'));
    expect(seqsIn(received.text)).toEqual([1, 2]);
  });

  it('ends with a reason when the session is deleted, and the client ends with it', async () => {
    const server = await openEventServer({ folder: await testFolder(), heartbeatMs: 5 });
    const { id } = await server.agent.create();
    await rename(server, id, 'One');
    const seqs: number[] = [];
    const follow = (async () => {
      for await (const { seq } of createClient({ baseUrl: server.url }).events(id)) seqs.push(seq);
    })();
    const { received } = await ask(server, `/api/sessions/${id}/events`);
    await until(() => seqs.length === 1);
    await server.agent.store.sessions.delete(id);
    await follow;
    await until(() => received.text.endsWith('\r\n0\r\n\r\n'));
    expect(received.text).toContain('event: stream:closed\ndata: {"reason":"session-deleted"}\n');
  });

  it('ends with a reason when the server stops', async () => {
    const server = await openEventServer({ folder: await testFolder() });
    const { id } = await server.agent.create();
    const { socket, received } = await ask(server, `/api/sessions/${id}/events`);
    await until(() => received.text.includes(': open'));
    const gone = isGone(socket);
    await server.stop();
    await gone;
    expect(received.text).toContain('event: stream:closed\ndata: {"reason":"server-stopping"}\n');
  });

  it('forgets a reader whose connection is gone', async () => {
    const server = await openEventServer({ folder: await testFolder() });
    const { id } = await server.agent.create();
    const { socket, received } = await ask(server, `/api/sessions/${id}/events`);
    await until(() => received.text.includes(': open') && server.open.size === 1);
    socket.resetAndDestroy();
    await until(() => server.open.size === 0);
    await rename(server, id, 'Nobody hears it');
  });

  it('keeps nothing for a reader that stops reading, tells the others all, and goes on where it stopped', async () => {
    const server = await openEventServer({ folder: await testFolder() });
    const { id } = await server.agent.create();
    const stalled = await ask(server, `/api/sessions/${id}/events`);
    await until(() => stalled.received.text.includes(': open'));
    stalled.socket.pause();
    const reader = await ask(server, `/api/sessions/${id}/events`);
    const titles = Array.from({ length: 400 }, (_, index) => `${index} ${'long '.repeat(10_000)}`);
    let mostWaiting = 0;
    for (const [index, title] of titles.entries()) {
      await rename(server, id, title);
      await until(() => reader.received.text.includes(`id: ${index + 1}\n`));
      for (const { writableLength } of server.open) mostWaiting = Math.max(mostWaiting, writableLength);
      reader.received.text = '';
    }
    // One event, and what Node takes before it says that it is enough: of 20 million characters.
    expect(mostWaiting).toBeLessThan(200_000);
    expect(mostWaiting).toBeGreaterThan(0);
    expect(seqsIn(stalled.received.text).length).toBeLessThan(400);
    stalled.socket.resume();
    // To look through all of it each time would take longer than to send it.
    await until(() => stalled.received.text.slice(-200_000).includes('id: 400\n'));
    expect(seqsIn(stalled.received.text)).toEqual(titles.map((_, index) => index + 1));
  });

  it('serves web responses where Node’s is not at hand, with the headers that guards have set', async () => {
    const server = await openEventServer({ folder: await testFolder() });
    const { id } = await server.agent.create();
    await rename(server, id, 'One');
    const headers = { host: 'localhost' };
    const response = await server.app.request(`/api/sessions/${id}/events`, { headers });
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('id: 1\n')) text += (await reader.read()).value ?? '';
    await rename(server, id, 'Two');
    while (!text.includes('id: 2\n')) text += (await reader.read()).value ?? '';
    await reader.cancel();
    expect(seqsIn(text)).toEqual([1, 2]);
  });
});
