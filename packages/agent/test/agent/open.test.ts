import { expect, it } from 'vitest';
import { openAgent } from './agent-bench.ts';

it('the session of another owner is none that can be opened for this one', async () => {
  const { agent } = await openAgent();
  const session = await agent.create({ owner: 'ann' });
  expect(await agent.open(session.id, { owner: 'ann' })).toBe(session);
  expect(await agent.open(session.id)).toBe(session);
  const missing = agent.open('session-none', { owner: 'bob' });
  await expect(missing).rejects.toMatchObject({ code: 'not-found', details: { kind: 'session' } });
  const foreign = agent.open(session.id, { owner: 'bob' });
  await expect(foreign).rejects.toMatchObject({
    code: 'not-found',
    message: `There is no session ${session.id}.`,
  });
});
