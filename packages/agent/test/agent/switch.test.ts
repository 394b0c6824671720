import { anthropicCodec, openaiChatCodec } from '@throughline/core';
import { ask, openAgent } from './agent-bench.ts';
import { completeText, scriptedModelDriver } from '@throughline/testkit';
import { expect, it } from 'vitest';
import { longTurn, openNarrow } from './long-bench.ts';
import type { BenchOptions, Script } from './agent-bench.ts';
import type { Codec, ModelRequest } from '@throughline/core';
import type { Driver } from '@throughline/ports';
import type { ScriptedModelDriver } from '@throughline/testkit';

interface Model {
  readonly name: string;
  readonly windowTokens?: number;
  readonly codec?: Codec;
  /** As the price list calls it. @default one that it does not have */
  readonly model?: string;
}

function modelOf(script: Script, { name, windowTokens, codec, model = name }: Model): ScriptedModelDriver {
  const driver = scriptedModelDriver(script, codec);
  const limits = windowTokens === undefined ? {} : { limits: { windowTokens } };
  return { ...driver, name: `other:${name}`, model, provider: 'other', ...limits };
}

const usage = { inputTokens: 4_000, outputTokens: 1 };
const words = 'The quick brown fox jumps over it. '.repeat(300);

it('leaves what was counted by a model behind, and begins as a session of the next one would', async () => {
  const { agent, store } = await openAgent([{ text: 'One.', usage }]);
  const session = await agent.create();
  await ask(session, words);
  const counted = await store.history.context(session.id);
  expect(counted.state).toMatchObject({ usage: { actualTokens: 4_000 } });
  expect(counted.state?.calibration.a).toBeGreaterThan(1.2);
  const before = (await session.context()).currentTokens;

  const next = modelOf([{ text: 'Two.' }], { name: 'next', windowTokens: 200_000 });
  expect(await session.switchModel(next)).toMatchObject({ type: 'switched' });
  const { state } = await store.history.context(session.id);
  expect(state).toMatchObject({
    calibration: { a: 1, b: 0, isWhole: true },
    usage: null,
    summariser: null,
  });
  const other = await openAgent([{ text: 'One.' }], {
    driver: modelOf([{ text: 'One.' }], { name: 'next' }),
  });
  const fresh = await other.agent.create();
  await ask(fresh, words);
  const { currentTokens } = await session.context();
  expect(currentTokens).toBe((await fresh.context()).currentTokens);
  expect(currentTokens).toBeLessThan(before - 900);
});

it('leaves it behind where another process goes on with another model, too, and stores that', async () => {
  const summary = `## Completed Work\nRead a lot.\n${'It went on and on. '.repeat(20)}`;
  const driverOf = ({ name }: { readonly name: string }): Driver => ({
    name,
    complete: () =>
      Promise.resolve({ ...completeText(summary), usage: { inputTokens: 9_000, outputTokens: 90 } }),
  });
  const { agent, another, store } = await openNarrow([...longTurn(1, 6), { text: 'One.', usage }], {
    context: { windowTokens: 40_000, background: false },
    summariser: { type: 'same', driverOf },
  });
  const session = await agent.create();
  await ask(session, 'Go');
  expect((await session.compact()).type).toBe('compacted');
  await ask(session, 'And?');
  expect((await store.history.context(session.id)).state).toMatchObject({
    usage: { actualTokens: 4_000 },
    summariser: { slope: expect.any(Number) },
  });
  await agent[Symbol.asyncDispose]();
  const driver = modelOf([{ text: 'Two.' }], { name: 'next', windowTokens: 200_000 });
  const again = await (await another({ driver })).agent.open(session.id);
  // Before any step makes a state of its own.
  again.subscribe(({ type }) => void (type === 'run:start' && again.cancel()));
  expect(await ask(again, 'Go on')).toEqual({ type: 'cancelled' });
  expect((await again.info()).model).toBe('other:next');
  const { state } = await store.history.context(session.id);
  expect(state).toMatchObject({ calibration: { a: 1, b: 0, isWhole: true }, usage: null, summariser: null });
});

it('asks each model for summaries in its own form, and the former one behind no prefix that is not sent any more', async () => {
  const asked: { readonly name: string; readonly request: ModelRequest }[] = [];
  const more = 'It went on and on like this. '.repeat(12);
  const summariserOf = (name: string): Driver => ({
    name,
    complete: (request) => {
      asked.push({ name, request });
      const inputTokens = JSON.stringify(request.messages).length;
      const answer = completeText(`## Completed Work\nRead a lot.\n${more}`);
      return Promise.resolve({ ...answer, usage: { inputTokens, outputTokens: 90 } });
    },
  });
  // Prices are known of both: what lies in the cache is cheap.
  const first = modelOf([...longTurn(1, 10), ...longTurn(1, 10)], {
    name: 'first',
    model: 'claude-opus-4-1',
    codec: anthropicCodec,
  });
  const options: BenchOptions = {
    driver: { ...first, limits: { windowTokens: 40_000 } },
    context: { background: false, windowTokens: undefined as never },
    summariser: { type: 'same', driverOf: ({ name }) => summariserOf(name) },
  };
  const { agent, store } = await openNarrow([], options);
  const former = await agent.create();
  await ask(former, 'Go');
  await former.compact();
  expect(asked.map(({ name }) => name)).toEqual(['other:first']);
  expect(asked[0]?.request.cachedPrefix).toBeDefined();
  const session = await agent.create();
  await ask(session, 'Go');

  const second = modelOf(longTurn(11, 1), {
    name: 'second',
    model: 'gpt-4.1-mini',
    windowTokens: 18_000,
    codec: openaiChatCodec,
  });
  expect(await session.switchModel(second)).toEqual({ type: 'switched', wasCompacted: true });
  expect(asked.map(({ name }) => name)).toEqual(['other:first', 'other:first']);
  expect(asked[1]?.request.cachedPrefix).toBeUndefined();
  // How that one counts says nothing of the one that writes summaries from now on.
  expect((await store.history.context(session.id)).state?.summariser).toBeNull();
  await ask(session, 'And on');
  await session.compact();
  const last = asked.at(-1);
  expect(last?.name).toBe('other:second');
  // As that model was sent it, in its own form.
  const sent = second.requests.at(-1)?.messages ?? [];
  expect(last?.request.cachedPrefix?.slice(0, sent.length)).toEqual(sent);
});

it('keeps the name that a new session was stored with until its first run, which is with the model of the agent', async () => {
  const { agent } = await openAgent([{ text: 'One.' }]);
  const session = await agent.create({ model: 'other:next' });
  const told: string[] = [];
  session.subscribe(({ type }) => told.push(type));
  expect((await session.info()).model).toBe('other:next');
  expect(session.model.name).toBe('scripted:model');
  expect(await ask(session, 'Hi')).toMatchObject({ type: 'completed' });
  expect((await session.info()).model).toBe('scripted:model');
  expect(told).toContain('llm:switched');
});
