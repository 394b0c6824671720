import { ask, bodyOf, readEvents } from './http-load.ts';
import { median } from '../engine/measure.ts';
import { serveApart } from './serve-apart.ts';
import type { Served } from './serve-apart.ts';

interface StreamFigures {
  readonly sessions: number;
  readonly parts: number;
  readonly libraryPerSecond: number;
  readonly servedPerSecond: number;
  /** Of what is served to what the library does alone; the median of the rounds. */
  readonly share: number;
}

const rounds = 3;

/** Sessions that stream at the same time, each with a reader: in one process, and over HTTP to another one. In turn. */
export async function measureStreams(sessions: number, parts: number): Promise<StreamFigures> {
  await using served = await serveApart({ driver: 'played', parts });
  const library: number[] = [];
  const overHttp: number[] = [];
  const shares: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const own = (sessions * parts) / ((await served.tell('streams', { count: sessions })).ms / 1_000);
    const sent = (sessions * parts) / ((await streamAll(served, sessions)) / 1_000);
    // The first round only warms up.
    if (round < 0) continue;
    library.push(own);
    overHttp.push(sent);
    shares.push(sent / own);
  }
  return {
    sessions,
    parts,
    libraryPerSecond: median(library),
    servedPerSecond: median(overHttp),
    share: median(shares),
  };
}

async function streamAll(served: Served, count: number): Promise<number> {
  const ids = await served.tell('createSessions', { count });
  const ends = ids.map(() => Promise.withResolvers<void>());
  const readers = await Promise.all(
    ids.map((id, index) => {
      let tail = '';
      return readEvents(served.url, `/api/sessions/${id}/events`, (text) => {
        if (`${tail}${text}`.includes('event: run:end')) ends[index]?.resolve();
        tail = text.slice(-20);
      });
    }),
  );
  const before = performance.now();
  await Promise.all(
    ids.map(async (sessionId) =>
      bodyOf(
        await ask(served.url, {
          method: 'POST',
          path: '/api/message',
          body: { sessionId, content: 'Speak.' },
        }),
      ),
    ),
  );
  await Promise.all(ends.map(({ promise }) => promise));
  const ms = performance.now() - before;
  for (const reader of readers) reader.close();
  return ms;
}
