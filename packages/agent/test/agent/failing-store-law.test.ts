import { call, messagesOf, openAgent } from './agent-bench.ts';
import { callFaults } from './call-faults.ts';
import { defineTool } from '../../src/index.ts';
import { diskFull, mortalStore } from './mortal-store.ts';
import { expect, it } from 'vitest';
import fc from 'fast-check';
import { rest } from './virtual-time.ts';
import { z } from 'zod';
import type { ScriptedStep } from '@throughline/testkit';

it('loses nothing and runs no tool twice, whenever the store fails and for however long', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 70 }),
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      async (from, count, goesOnElsewhere) => {
        const runs = new Map<number, number>();
        const once = defineTool({
          name: 'once',
          description: 'Counts how often it is run',
          input: z.object({ number: z.number() }),
          reads: () => [],
          idempotent: false,
          execute: ({ number }) => {
            runs.set(number, (runs.get(number) ?? 0) + 1);
            return `run ${number}`;
          },
        });
        let asked = 0;
        const answer = (): ScriptedStep => {
          asked += 1;
          if (asked > 4) return { text: 'Done.' };
          const calls = [0, 1].map((index) =>
            call(`c${asked}${index}`, 'once', { number: asked * 10 + index }),
          );
          return { reasoning: 'hm', text: ['I ', 'count.'], calls };
        };
        const mortal = mortalStore();
        const script = Array.from({ length: 60 }, () => answer);
        const bench = await openAgent(script, { tools: [once], wrapStore: mortal.wrap, in: 'memory' });
        const session = await bench.agent.create();
        let done = 0;
        mortal.failWhen((calls) => {
          const fails = calls >= from && calls < from + count;
          if (fails) done += 1;
          return fails ? diskFull() : undefined;
        });
        const isSent = await session.send('Go', { id: 'go' }).then(
          () => true,
          () => false,
        );
        await session.settled();
        mortal.failWith(undefined);
        // A lease that could not be given back runs out.
        await bench.time.advance(20_000);
        const next = goesOnElsewhere ? await bench.another({ script }) : bench;
        const again = await next.agent.open(session.id);
        if (!isSent) await again.send('Go', { id: 'go' });
        for (let turn = 0; turn < 5; turn += 1) {
          await again.settled();
          if (!(await again.resume())) break;
        }
        await again.settled();
        await rest();
        const messages = await messagesOf(bench.store, session);
        expect(callFaults(messages)).toEqual([]);
        expect([...runs.values()].every((times) => times === 1)).toBe(true);
        expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1);
        expect(messages.at(-1)?.parts.at(-1)).toEqual({ type: 'text', text: 'Done.' });
        const stored = await bench.store.journal.runs(session.id);
        expect(stored.every(({ endedAtMs }) => endedAtMs !== null)).toBe(true);
        expect(await bench.store.inbox.waiting(session.id)).toEqual([]);
        expect((await again.info()).status).toBe('idle');
        expect(done).toBeLessThanOrEqual(count);
        await bench.agent[Symbol.asyncDispose]();
        await next.agent[Symbol.asyncDispose]();
      },
    ),
    { numRuns: 80 },
  );
});
