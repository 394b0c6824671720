import { ask, openAgent } from './agent-bench.ts';
import { expect, it } from 'vitest';
import { until } from './virtual-time.ts';

it('tells a model to go on with an answer that was cut off, and not where the user says something else', async () => {
  for (const next of ['resume', 'send'] as const) {
    const { agent, driver } = await openAgent([{ text: 'Half', hangs: true }, { text: 'ok' }]);
    const session = await agent.create();
    await session.send('Go');
    await until(() => driver.requests.length === 1);
    await session.cancel();
    if (next === 'send') await session.send('Something else');
    else await session.resume();
    await session.settled();
    const isTold = JSON.stringify(driver.requests[1]?.messages).includes('was cut off. Go on');
    expect(isTold, next).toBe(next === 'resume');
  }
});

it.each([
  [undefined, true],
  [true, true],
  [false, false],
])('tells the model of its room, and of compactions where auto is %s: %s', async (auto, isTold) => {
  const { agent, driver } = await openAgent([{ text: 'ok' }], {
    context: { showsBudget: true, ...(auto === undefined ? {} : { auto }) },
  });
  await ask(await agent.create(), 'Go');
  const last = JSON.stringify(driver.requests[0]?.messages.at(-1));
  expect(last).toContain('tokens of context are free');
  expect(last.includes('condensed')).toBe(isTold);
});
