import { call, look, openAgent } from './agent-bench.ts';
import { expect, it } from 'vitest';
import fc from 'fast-check';
import { rest } from './virtual-time.ts';
import { setImmediate as giveWay } from 'node:timers/promises';
import type { ScriptedStep } from '@throughline/testkit';

const sends = fc.array(
  fc.record({ who: fc.constantFrom(0, 1), ticks: fc.nat({ max: 60 }), turns: fc.nat({ max: 12 }) }),
  { minLength: 2, maxLength: 10 },
);

/** Each answer is one that calls, or one that does not. */
function answers(calling: readonly boolean[]): (() => ScriptedStep)[] {
  let count = 0;
  return Array.from({ length: 100 }, (_, index) => () => {
    count += 1;
    return calling[index] ? { calls: [call(`c${count}`)] } : { text: `Answer ${count}` };
  });
}

it('leaves no message behind and takes none twice, whoever of two sends what and whenever', async () => {
  const scripts = fc.array(fc.boolean(), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      sends,
      scripts,
      scripts,
      fc.constantFrom('memory', 'file'),
      async (list, one, two, place) => {
        const first = await openAgent(answers(one), { tools: [look], in: place });
        const second = await first.another({ script: answers(two) });
        const here = await first.agent.create();
        const sessions = [here, await second.agent.open(here.id)] as const;
        const sending: Promise<unknown>[] = [];
        for (const [index, { who, ticks, turns }] of list.entries()) {
          const session = sessions[who === 0 ? 0 : 1];
          sending.push(session.send(`Message ${index}`, { id: `m${index}` }));
          for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
          for (let turn = 0; turn < turns; turn += 1) await giveWay();
        }
        await Promise.all(sending);
        for (let quiet = 0; quiet < 3; quiet += 1) {
          await rest();
          if (sessions.some(({ isRunning }) => isRunning)) quiet = 0;
        }
        expect(await first.store.inbox.waiting(here.id)).toEqual([]);
        const messages = await first.store.history.messages(here.id, 0, 1_000);
        const taken = messages.flatMap(({ message }) =>
          ((message.meta?.['originalMessages'] ?? []) as readonly { readonly id: string }[]).map(
            ({ id }) => id,
          ),
        );
        expect(taken.toSorted()).toEqual(list.map((_, index) => `m${index}`).toSorted());
        const runs = await first.store.journal.runs(here.id);
        for (const { outcome } of runs) expect(outcome).toEqual({ type: 'completed', finish: 'stop' });
        expect(messages.at(-1)?.message.role).toBe('assistant');
        await first.agent[Symbol.asyncDispose]();
        await second.agent[Symbol.asyncDispose]();
      },
    ),
    { numRuns: 40 },
  );
});
