import { ask } from './agent-bench.ts';
import { completeText } from '@throughline/testkit';
import { expect, it } from 'vitest';
import { longTurn, openNarrow } from './long-bench.ts';
import { rest } from './virtual-time.ts';
import type { Driver } from '@throughline/ports';

/** A summariser whose answers come when somebody lets them, and the signals of its questions. */
function heldSummariser() {
  const signals: AbortSignal[] = [];
  let letGo = Promise.withResolvers<void>();
  const driver: Driver = {
    name: 'held',
    complete: async (_, { signal }) => {
      if (signal) signals.push(signal);
      const number = signals.length;
      await letGo.promise;
      return completeText(`## Completed Work\nQuestion ${number}.\n${'It went on and on. '.repeat(20)}`);
    },
  };
  return {
    driver,
    signals,
    hold: () => void (letGo = Promise.withResolvers()),
    letGo: () => letGo.resolve(),
  };
}

/** Nothing is pruned: only a compaction makes room. */
const budget = { leastGainTokens: 1_000_000 };

it('drops what is written ahead of need about a view that an undo takes back', async () => {
  const { driver, signals, hold, letGo } = heldSummariser();
  // Words are not pruned: what comes needs a compaction.
  const wordy = longTurn(4, 6).map((step) => ({ ...step, text: 'It is said at length. '.repeat(40) }));
  const turns = [...longTurn(1, 3), ...wordy, { text: 'And so on.' }];
  const { agent, another } = await openNarrow(turns, {
    context: { windowTokens: 16_000, budget },
    summariser: { type: 'model', driver, windowTokens: 40_000 },
  });
  const session = await agent.create();
  await ask(session, 'Go');
  letGo();
  expect((await session.compact()).type).toBe('compacted');
  expect(signals).toHaveLength(1);
  hold();
  await ask(session, 'More');
  // It is being written, and nobody has waited for it.
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  expect((await session.undo()).type).toBe('undone');
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  letGo();
  await rest();
  const before = await session.request();
  await ask(session, 'And?');
  const { messages } = await session.request();
  expect(messages.slice(0, before.messages.length)).toEqual(before.messages);
  expect(JSON.stringify(messages)).not.toContain('Question');
  expect((await (await (await another()).agent.open(session.id)).request()).messages).toEqual(messages);
});

it('goes on with the view of before where an undo is refused, as another process would', async () => {
  const { agent, driver, another } = await openNarrow([...longTurn(1, 14), { text: 'One.' }], {
    context: { windowTokens: 8_000, budget },
  });
  const session = await agent.create();
  await ask(session, 'Go');
  const before = await session.request();
  expect((await session.undo()).type).toBe('refused');
  expect(await session.request()).toEqual(before);
  await ask(session, 'And?');
  const next = await another({ script: [{ text: 'Two.' }] });
  await ask(await next.agent.open(session.id), 'Then?');
  const [here, there] = [driver.requests.at(-1)?.messages ?? [], next.driver.requests[0]?.messages ?? []];
  expect(here.slice(0, before.messages.length)).toEqual(before.messages);
  expect(there.slice(0, here.length)).toEqual(here);
});

it('undoes beside a reload: what another process has said meanwhile stands in the view', async () => {
  const { agent, another, driver } = await openNarrow([...longTurn(1, 6), { text: 'Three.' }], {
    context: { windowTokens: 40_000, budget },
    in: 'file',
  });
  const session = await agent.create();
  await ask(session, 'Go');
  await session.compact();
  const elsewhere = await another({ script: [{ text: 'Two.' }] });
  const there = await elsewhere.agent.open(session.id);
  await ask(there, 'Said there');
  expect((await session.undo()).type).toBe('undone');
  const shown = JSON.stringify((await session.request()).messages);
  expect(shown).toContain('1.31 The quick brown fox');
  expect(shown).toContain('Said there');
  await ask(session, 'Said here');
  const sent = JSON.stringify(driver.requests.at(-1)?.messages);
  for (const said of ['1.31 The quick brown fox', 'Said there', 'Two.', 'Said here'])
    expect(sent).toContain(said);
  // The other one has the compaction in memory, and takes the undo over.
  expect(await there.redo()).toMatchObject({ type: 'redone' });
  expect(JSON.stringify((await session.request()).messages)).not.toContain('1.31 The quick brown fox');
});
