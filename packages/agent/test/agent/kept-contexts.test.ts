import v8 from 'node:v8';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openAgent } from './agent-bench.ts';
import type { SessionStore } from '@throughline/ports';

beforeEach(() => {
  // A sixteenth of it in characters.
  const statistics = { ...v8.getHeapStatistics(), heap_size_limit: 160_000 };
  vi.spyOn(v8, 'getHeapStatistics').mockReturnValue(statistics);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** How often the context of a session was read from the store. */
function counted(reads: string[]): (store: SessionStore) => SessionStore {
  return (store) => ({
    ...store,
    write: (...args) => store.write(...args),
    value: (...args) => store.value(...args),
    history: {
      ...store.history,
      context: (sessionId, ...rest) => {
        reads.push(sessionId);
        return store.history.context(sessionId, ...rest);
      },
    },
  });
}

/** Reads from the store while two sessions have their turns: first, second, first. */
async function readsOf(content: string): Promise<number> {
  const reads: string[] = [];
  const answers = Array.from({ length: 3 }, () => ({ text: 'Yes.' }));
  const { agent } = await openAgent(answers, { wrapStore: counted(reads) });
  const first = await agent.create();
  const second = await agent.create();
  for (const session of [first, second, first]) {
    await session.send(content);
    await session.settled();
  }
  return reads.filter((id) => id === first.id).length;
}

it('a context stays in memory between the runs of its session', async () => {
  expect(await readsOf('Small?')).toBe(1);
});

it('a large context leaves the memory of a small heap, and is read again', async () => {
  expect(await readsOf('Large? '.repeat(1_000))).toBe(2);
});
