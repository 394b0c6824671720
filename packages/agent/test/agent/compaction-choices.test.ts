import { createStrategy } from '@throughline/core';
import { expect, it } from 'vitest';
import { ask, openAgent } from './agent-bench.ts';
import { longTurn, openNarrow } from './long-bench.ts';
import { until } from './virtual-time.ts';

it('compacts with the strategy that is asked for this once, and with its own again afterwards', async () => {
  const { agent } = await openNarrow([...longTurn(1, 6), ...longTurn(2, 6)], {
    context: { windowTokens: 40_000, strategy: createStrategy('digest') },
  });
  const session = await agent.create();
  await ask(session, 'Go');
  await session.compact({ strategy: createStrategy('middle-removal') });
  await ask(session, 'Go on');
  await session.compact();
  const strategies = (await session.checkpoints()).map(({ checkpoint }) => checkpoint.strategy);
  expect(strategies[0]).toBe('middle-removal');
  expect(strategies.slice(1)).not.toContain('middle-removal');
  expect(strategies.at(-1)).toBe('digest');
});

it('puts the newest of several compactions that were taken back in force again', async () => {
  const { agent } = await openNarrow(longTurn(1, 6), { context: { windowTokens: 40_000 } });
  const session = await agent.create();
  await ask(session, 'Go');
  const first = await session.compact();
  await session.undo();
  const second = await session.compact();
  await session.undo();
  const made = [first, second].map((one) => (one.type === 'compacted' ? one.checkpointId : one.type));
  expect(new Set(made).size).toBe(2);
  expect(await session.redo()).toMatchObject({ type: 'redone', checkpointId: made[1] });
});

it('refuses a message under the id of one that was removed from the queue', async () => {
  const { agent, driver } = await openAgent([{ text: 'Hm', hangs: true }]);
  const session = await agent.create();
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  await session.send('Second', { id: 'b' });
  expect(await session.queue.remove('b')).toBe(true);
  await expect(session.send('Second', { id: 'b' })).rejects.toMatchObject({ code: 'already-exists' });
  await session.cancel();
});
