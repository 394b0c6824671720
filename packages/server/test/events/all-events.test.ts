import { connect } from 'node:net';
import { createClient } from '@throughline/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openEventServer, testFolder, until } from './event-server.ts';
import type { EventServer } from './event-server.ts';

interface Told {
  readonly id: string;
  readonly text: string;
}

interface Reading {
  readonly text: () => string;
  readonly events: () => readonly Told[];
  readonly stop: () => void;
}

async function read(
  server: EventServer,
  headers: Readonly<Record<string, string>> = {},
  path = '/api/events',
): Promise<Reading> {
  const stopped = new AbortController();
  onTestFinished(() => stopped.abort());
  const response = await fetch(server.url + path, { headers, signal: stopped.signal });
  let text = '';
  void (async () => {
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) text += piece;
  })().catch(() => {});
  await until(() => text.includes('\nid: ') || text.includes('event: '));
  return {
    text: () => text,
    events: () =>
      [...text.matchAll(/^event: session:updated\nid: (.*)\ndata: (.*)$/gm)].map(([, id = '', data = '']) => {
        const { sessionId, seq, data: told } = JSON.parse(data);
        return { id, text: `${sessionId} ${seq} ${told.title}` };
      }),
    stop: () => stopped.abort(),
  };
}

async function rename(server: EventServer, id: string, title: string): Promise<void> {
  await (await server.agent.open(id)).rename(title);
}

const textsOf = (told: readonly Told[]): readonly string[] => told.map(({ text }) => text);

describe('GET /api/events', () => {
  it('sends the events of all sessions in their order, also of those made later, and none from before', async () => {
    const server = await openEventServer({ folder: await testFolder(), heartbeatMs: 5 });
    await server.agent.create({ id: 'a' });
    await rename(server, 'a', 'Before');
    const reading = await read(server);
    await rename(server, 'a', 'One');
    await server.agent.create({ id: 'b' });
    await rename(server, 'b', 'Two');
    await rename(server, 'a', 'Three');
    await until(() => reading.events().length === 3);
    expect(textsOf(reading.events())).toEqual(['a 2 One', 'b 1 Two', 'a 3 Three']);
    await until(() => reading.text().includes(': still here'));
    await server.stop();
    await until(() =>
      reading.text().endsWith('event: stream:closed\ndata: {"reason":"server-stopping"}\n\n'),
    );
  });

  it('goes on behind any id without gap or double, also behind the one it began with', async () => {
    const server = await openEventServer({ folder: await testFolder() });
    for (const id of ['a', 'b', 'c']) await server.agent.create({ id });
    const first = await read(server);
    const [, begin = ''] = /\nid: (.*)\n\n/.exec(first.text()) ?? [];
    for (let n = 0; n < 200; n += 1) await rename(server, 'abc'.charAt(n % 3), `${n}`);
    await until(() => first.events().length === 200);
    first.stop();
    await rename(server, 'b', 'Meanwhile');
    const all = [...textsOf(first.events()), 'b 68 Meanwhile'];
    expect((await rest(server, begin, 201)).events().map(({ text }) => text)).toEqual(all);
    for (const at of [0, 1, 63, 64, 150, 199]) {
      const { id } = first.events()[at]!;
      expect(textsOf((await rest(server, id, 200 - at)).events())).toEqual(all.slice(at + 1));
    }
  });

  it('is the stream of one owner: he hears nothing of the sessions of another one', async () => {
    const tokens = ['ann', 'bob'].map((owner) => ({ owner, token: `token-of-${owner}-long-enough` }));
    const server = await openEventServer({ folder: await testFolder(), tokens });
    await server.agent.create({ id: 'hers', owner: 'ann' });
    await server.agent.create({ id: 'his', owner: 'bob' });
    const [ann, bob] = await Promise.all(
      tokens.map(({ token }) => read(server, { authorization: `Bearer ${token}` })),
    );
    for (const n of [1, 2, 3]) for (const id of ['hers', 'his']) await rename(server, id, `${n}`);
    await until(() => ann?.events().length === 3 && bob?.events().length === 3);
    expect(ann?.text()).not.toContain('his');
    expect(bob?.text()).not.toContain('hers');
    expect((await fetch(`${server.url}/api/events`)).status).toBe(401);
  });

  it('says so where nobody knows what was missed, and goes on from there', async () => {
    const folder = await testFolder();
    const before = await openEventServer({ folder });
    await before.agent.create({ id: 'a' });
    const old = await read(before);
    await rename(before, 'a', 'One');
    await until(() => old.events().length === 1);
    const { id } = old.events()[0]!;
    await before.stop();
    const server = await openEventServer({ folder });
    const reading = await read(server, { 'last-event-id': id });
    await until(() => reading.text().includes('event: stream:missed\n'));
    await rename(server, 'a', 'Two');
    await until(() => reading.events().length === 1);
    expect(textsOf(reading.events())).toEqual(['a 2 Two']);
    for (const wrong of ['7', 'x', `${id.slice(0, 8)}-`, `${reading.events()[0]?.id}9`])
      expect((await fetch(`${server.url}/api/events`, { headers: { 'last-event-id': wrong } })).status).toBe(
        400,
      );
  });

  it('keeps nothing for a reader that stops reading, and tells it all when it goes on', async () => {
    const server = await openEventServer({ folder: await testFolder() });
    await server.agent.create({ id: 'a' });
    const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1' });
    onTestFinished(() => void socket.destroy());
    socket.write('GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await until(() => server.open.size === 1);
    const other = await read(server);
    socket.pause();
    // Far more than the sockets between them hold, in few events: each is a write to the store.
    const title = 'x'.repeat(1_600);
    const renames = 1_500;
    for (let n = 0; n < renames; n += 1) await rename(server, 'a', `${title}${n}`);
    await until(() =>
      other
        .text()
        .slice(-2 * title.length)
        .includes(`${title}${renames - 1}`),
    );
    expect(other.events()).toHaveLength(renames);
    const [stalled] = server.open;
    expect(stalled?.writableLength ?? 0).toBeLessThan(200_000);
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (piece: string) => (text += piece));
    socket.resume();
    await until(() => text.slice(-2 * title.length).includes(`${title}${renames - 1}`));
    const seqs = [...text.matchAll(/"seq":(\d+)/g)].map(([, seq]) => Number(seq));
    expect(seqs).toEqual(Array.from({ length: renames }, (_, n) => n + 1));
  });

  it('is followed by the client, over a restart of the server', async () => {
    const folder = await testFolder();
    const first = await openEventServer({ folder });
    await first.agent.create({ id: 'a' });
    let { url } = first;
    const client = createClient({
      baseUrl: 'http://server',
      fetch: (asked, init) => fetch((asked as string).replace('http://server', url), init),
      reconnection: { firstWaitMs: 1, longestWaitMs: 2 },
    });
    const told: string[] = [];
    const stopped = new AbortController();
    const following = (async () => {
      for await (const event of client.events({ signal: stopped.signal }))
        told.push(
          event.type === 'stream:missed' ? 'missed' : `${event.sessionId} ${event.seq} ${event.type}`,
        );
    })();
    await until(() => first.open.size === 1);
    await rename(first, 'a', 'One');
    await until(() => told.length === 1);
    for (const response of first.open) response.destroy();
    await rename(first, 'a', 'Two');
    await until(() => told.length === 2);
    await first.stop();
    const second = await openEventServer({ folder });
    ({ url } = second);
    await until(() => told.length === 3);
    await rename(second, 'a', 'Three');
    await until(() => told.length === 4);
    stopped.abort();
    await following;
    expect(told).toEqual(['a 1 session:updated', 'a 2 session:updated', 'missed', 'a 3 session:updated']);
  });
});

/** Reads behind an id until so many have come, and then a little for what is too much. */
async function rest(server: EventServer, id: string, count: number): Promise<Reading> {
  const reading = await read(server, { 'last-event-id': id });
  await until(() => reading.events().length >= count);
  reading.stop();
  return reading;
}
