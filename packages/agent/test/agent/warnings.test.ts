import { ask, dataOf, openAgent, record } from './agent-bench.ts';
import { anthropicCodec } from '@throughline/core';
import { expect, it } from 'vitest';

const longText = Array.from({ length: 3_000 }, (_, line) => `Line ${line}: check item ${line * 7}.`).join(
  '\n',
);

it('names a message of the user that is cut to fit, once, and where the whole of it is', async () => {
  const { agent, driver } = await openAgent([{ text: 'One' }, { text: 'Two' }], {
    context: { windowTokens: 8_000 },
  });
  const session = await agent.create();
  const events = record(session);
  expect(await ask(session, longText)).toEqual({ type: 'completed', finish: 'stop' });
  expect(JSON.stringify(driver.requests[0]?.messages).length).toBeLessThan(longText.length);
  const cut = dataOf(events, 'context:warning').filter(({ warning }) => warning === 'user-cut');
  expect(cut).toEqual([{ warning: 'user-cut', message: expect.stringContaining('m0.0') }]);
  expect((await session.recall('m0.0'))?.text).toBe(longText);
  await ask(session, 'And?');
  expect(dataOf(events, 'context:warning').filter(({ warning }) => warning === 'user-cut')).toHaveLength(1);
});

it('leaves the oldest images out where a request may have no more, and says so of those of the user', async () => {
  const data =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const { agent, driver, another } = await openAgent(
    Array.from({ length: 3 }, () => ({ text: 'I see.' })),
    { codec: anthropicCodec, context: { wire: { maxMedia: 2 } } },
  );
  const session = await agent.create();
  const events = record(session);
  for (let turn = 0; turn < 3; turn += 1) {
    await session.send([
      { type: 'text', text: `Picture ${turn}` },
      { type: 'image', data, mediaType: 'image/png' },
    ]);
    expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  }
  const imagesIn = (request: unknown): number => JSON.stringify(request).split(data).length - 1;
  expect(driver.requests.map(imagesIn)).toEqual([1, 2, 2]);
  const cut = dataOf(events, 'context:warning').filter(({ warning }) => warning === 'user-cut');
  expect(cut).toEqual([{ warning: 'user-cut', message: expect.stringContaining('m0.1') }]);
  const { agent: next, driver: later } = await another({ script: [{ text: 'ok' }] });
  await ask(await next.open(session.id), 'And now?');
  expect(later.requests.map(imagesIn)).toEqual([2]);
});

it('counts the note in the place of an image as what it is', async () => {
  const data =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const { agent } = await openAgent([{ text: 'One' }, { text: 'Two' }], {
    codec: anthropicCodec,
    context: { wire: { maxMedia: 0 } },
  });
  const session = await agent.create();
  await session.send([
    { type: 'text', text: 'Look' },
    { type: 'image', data, mediaType: 'image/png' },
  ]);
  await session.settled();
  await ask(session, 'And?');
  const { media, user } = (await session.context()).byCategory;
  expect([media, user > 10]).toEqual([0, true]);
});

it('says once that the prefix has changed', async () => {
  const { agent, another } = await openAgent([{ text: 'One' }], { instructions: 'Be brief.' });
  const session = await agent.create();
  await ask(session, 'Go');
  const { agent: next } = await another({ instructions: 'Be long.', script: [{ text: 'Two' }] });
  const there = await next.open(session.id);
  const events = record(there);
  await ask(there, 'More');
  expect(dataOf(events, 'context:warning').map(({ warning }) => warning)).toEqual(['prefix-changed']);
});
