import { ask, bodyOf } from './http-load.ts';
import { median, quantile } from '../engine/measure.ts';
import { serveApart } from './serve-apart.ts';
import type { Served } from './serve-apart.ts';

interface FirstEventFigures {
  readonly httpMs: number;
  readonly httpP95Ms: number;
  /** From a message to the first event in the process of the library. */
  readonly libraryMs: number;
  /** Medians of the rounds, each with the other beside it. */
  readonly aboveMs: number;
}

const rounds = 5;

/** `POST /api/message` until its first event is here, with the demo model, one after the other; in turn with the library alone. */
export async function measureFirstEvents(count: number): Promise<FirstEventFigures> {
  await using served = await serveApart({ driver: 'demo', parts: 0 });
  const http: number[] = [];
  const library: number[] = [];
  const above: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const own = await served.tell('firstEvents', { count });
    const sent = await firstEvents(served, count);
    // The first round only warms up.
    if (round < 0) continue;
    http.push(...sent);
    library.push(...own);
    above.push(median(sent) - median(own));
  }
  return {
    httpMs: median(http),
    httpP95Ms: quantile(http, 0.95),
    libraryMs: median(library),
    aboveMs: median(above),
  };
}

async function firstEvents(served: Served, count: number): Promise<readonly number[]> {
  const ids = await served.tell('createSessions', { count });
  const times: number[] = [];
  for (const sessionId of ids) {
    const before = performance.now();
    const body = { sessionId, content: 'Say something.' };
    const asked = await ask(served.url, {
      method: 'POST',
      path: '/api/message',
      body,
      accept: 'text/event-stream',
    });
    asked.response.setEncoding('utf8');
    let ms: number | undefined;
    for await (const text of asked.response) {
      if ((text as string).includes('event: ')) ms ??= performance.now() - before;
    }
    if (ms === undefined) throw new Error('No event came.');
    times.push(ms);
  }
  return times;
}

interface BareRouteFigures {
  readonly parts: number;
  readonly oursMs: number;
  readonly bareMs: number;
  readonly ratio: number;
}

/** A whole answer over HTTP: ours, stored, through the AI SDK; and a route of `streamText` that keeps nothing. In turn. */
export async function measureBareRoute(parts: number, count: number): Promise<BareRouteFigures> {
  await using served = await serveApart({ driver: 'ai-sdk', parts });
  const ours: number[] = [];
  const bare: number[] = [];
  const ratios: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const ids = await served.tell('createSessions', { count });
    const times = { ours: [] as number[], bare: [] as number[] };
    for (const sessionId of ids) {
      times.ours.push(
        await wholeAnswer(served.url, '/api/message', { sessionId, content: 'Say much.' }, 'run:end'),
      );
      times.bare.push(await wholeAnswer(served.bareUrl, '/api/chat', { prompt: 'Say much.' }, '[DONE]'));
    }
    if (round < 0) continue;
    ours.push(...times.ours);
    bare.push(...times.bare);
    ratios.push(median(times.ours) / median(times.bare));
  }
  return { parts, oursMs: median(ours), bareMs: median(bare), ratio: median(ratios) };
}

async function wholeAnswer(url: string, path: string, body: unknown, end: string): Promise<number> {
  const before = performance.now();
  const text = await bodyOf(await ask(url, { method: 'POST', path, body, accept: 'text/event-stream' }));
  const ms = performance.now() - before;
  if (!text.includes(end)) throw new Error(`The answer has no end: ${text.slice(-200)}`);
  return ms;
}
