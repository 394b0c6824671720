import { completeText } from '@throughline/testkit';
import { createSummarisers } from './proxy-summarisers.ts';
import { describe, expect, it } from 'vitest';
import { realComposition } from '../composition/real-composition.ts';
import type { Answer, ModelRequest } from '@throughline/core';
import type { Driver } from '@throughline/ports';
import type { ModelEndpoint } from '@throughline/proxy';

const endpoint: ModelEndpoint = {
  dialect: 'chat',
  baseUrl: 'http://localhost:1/v1',
  model: 'm',
  headers: { authorization: 'Bearer a' },
};
const request: ModelRequest = {
  purpose: 'summary',
  system: '',
  messages: [],
  maxOutputTokens: 9,
  temperature: 0,
};
const minuteMs = 60_000;

/** Writes nothing, and ends when it is told to. */
const stalling: Driver['complete'] = async (_request, { signal }) =>
  await new Promise<Answer>((resolve) => {
    signal?.addEventListener('abort', () =>
      resolve({ type: 'failed', cause: 'cancelled', message: 'cancelled' }),
    );
  });

/** Models that write summaries as told, at a time that goes on when somebody waits. */
function place(complete: Driver['complete']) {
  const at = { nowMs: 0, asked: 0, warnings: 0 };
  const summariserFor = createSummarisers(
    {
      clock: { nowMs: () => at.nowMs },
      timer: {
        wait: async (delayMs, signal) => {
          await new Promise((resolve) => setImmediate(resolve));
          if (signal?.aborted === true) return 'aborted';
          at.nowMs += delayMs;
          return 'elapsed';
        },
      },
      createDriverFrom: realComposition.createDriverFrom,
      createSummariserFrom: () => ({
        name: 'm',
        complete: async (asked, options) => {
          at.asked += 1;
          return await complete(asked, options);
        },
      }),
    },
    { debug() {}, info() {}, warn: () => void (at.warnings += 1), error() {} },
  );
  return {
    at,
    summariserFor,
    ask: (to = endpoint, signal?: AbortSignal) =>
      summariserFor(to).complete(request, signal ? { signal } : {}),
  };
}

describe('a model that writes a summary', () => {
  it('is waited for two minutes, and not asked again for five', async () => {
    const { at, ask } = place(stalling);
    expect(await ask()).toMatchObject({ type: 'failed', cause: 'timeout' });
    expect(at.nowMs).toBe(2 * minuteMs);
    at.nowMs += 4.9 * minuteMs;
    expect(await ask()).toMatchObject({ type: 'failed', cause: 'unavailable' });
    expect([at.asked, at.warnings]).toEqual([1, 1]);
    at.nowMs += 0.2 * minuteMs;
    await ask();
    expect(at.asked).toBe(2);
  });

  it('has two minutes for all parts of a summary', async () => {
    const slow = place(async () => {
      slow.at.nowMs += 0.9 * minuteMs;
      return await Promise.resolve(completeText('A part.'));
    });
    const model = slow.summariserFor(endpoint);
    const answers: Answer[] = [];
    for (let part = 0; part < 4; part += 1) answers.push(await model.complete(request, {}));
    expect(answers.map(({ type }) => type)).toEqual(['text', 'text', 'text', 'failed']);
    expect(slow.at.asked).toBe(3);
    expect(await slow.ask()).toMatchObject({ type: 'text' });
  });

  it('is left alone for its own caller only', async () => {
    const { at, ask } = place(stalling);
    await ask();
    await ask({ ...endpoint, headers: { authorization: 'Bearer b' } });
    await ask({ ...endpoint, model: 'other' });
    expect(at.asked).toBe(3);
  });

  it('is asked again where it failed at once, and where the client has gone', async () => {
    const failed: Answer = { type: 'failed', cause: 'unavailable', message: 'no' };
    const quick = place(() => Promise.resolve(failed));
    expect([await quick.ask(), await quick.ask()]).toEqual([failed, failed]);
    expect(quick.at.asked).toBe(2);
    const gone = new AbortController();
    const left = place((given, options) => {
      gone.abort();
      return Promise.resolve({
        type: 'failed',
        cause: 'cancelled',
        message: given.system + options.signal?.aborted,
      });
    });
    expect(await left.ask(endpoint, gone.signal)).toMatchObject({ cause: 'cancelled', message: 'true' });
    await left.ask();
    expect(left.at).toMatchObject({ asked: 2, warnings: 0 });
  });

  it('is heard', async () => {
    const { ask } = place(() => Promise.resolve(completeText('It was moved.')));
    expect(await ask()).toMatchObject({ type: 'text', text: 'It was moved.' });
  });
});
