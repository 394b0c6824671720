import { createClient } from '@throughline/client';
import { createDemoDriver } from '@throughline/drivers';
import { expect, it } from 'vitest';
import { openCuttingProxy } from './cutting-proxy.ts';
import { openEventServer, testFolder, until } from './event-server.ts';
import { everyCase } from '@throughline/testkit';
import { systemTimer } from '@throughline/ports';
import fc from 'fast-check';
import type { AgentEvent } from '@throughline/agent';
import type { EventServer } from './event-server.ts';

type Deed =
  | { readonly type: 'rename'; readonly times: number }
  | { readonly type: 'say' }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'restart' };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('rename' as const), times: fc.integer({ min: 1, max: 100 }) }),
  },
  { weight: 3, arbitrary: fc.constant({ type: 'say' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 60 }) }),
  },
  { weight: 2, arbitrary: fc.constant({ type: 'restart' as const }) },
);

const driver = createDemoDriver({ timer: systemTimer, wordDelayMs: 1 });

/** Chunks of a part that ended are taken out of the journal: who read them live has them, who came later has the whole. */
const isPassing = ({ type, data }: AgentEvent): boolean =>
  type === 'tool:output' || (type === 'llm:chunk' && data.isComplete !== true);

async function journalOf({ agent }: EventServer, sessionId: string): Promise<readonly AgentEvent[]> {
  return (await agent.store.journal.after(sessionId, 0, 100_000)) as unknown as readonly AgentEvent[];
}

it('tells a client exactly what the journal has, wherever its connections are cut and whenever the server restarts', async () => {
  let cutCount = 0;
  const scenario = fc.array(deed, { minLength: 2, maxLength: 8 });
  // From within the head of the answer to the middle of some later event.
  const cuts = fc.array(fc.oneof(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 20_000 })), {
    minLength: 3,
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(scenario, cuts, async (deeds, places) => {
      const folder = await testFolder();
      let server = await openEventServer({ folder, driver });
      const { id } = await server.agent.create();
      const proxy = await openCuttingProxy(() => Number(new URL(server.url).port), places);
      const client = createClient({
        baseUrl: proxy.url,
        reconnection: { firstWaitMs: 1, longestWaitMs: 4 },
      });
      const published = new Map<number, AgentEvent>();
      const received: AgentEvent[] = [];
      const stopped = new AbortController();
      const follow = (async () => {
        for await (const event of client.events(id, { signal: stopped.signal })) received.push(event);
      })();
      const record = (): void => {
        server.agent.subscribe((_, event) => published.set(event.seq, event));
      };
      record();
      for (const [index, one] of deeds.entries()) {
        const session = await server.agent.open(id);
        if (one.type === 'rename')
          for (let time = 0; time < one.times; time += 1) await session.rename(`${index}.${time} 🌍`);
        if (one.type === 'say') await session.send(`Say something about ${index}`);
        if (one.type === 'wait') await systemTimer.wait(one.ms);
        if (one.type === 'restart') {
          await server.stop();
          server = await openEventServer({ folder, driver });
          record();
        }
      }
      const session = await server.agent.open(id);
      await session.settled();
      const { lastEventSeq } = await session.info();
      await until(() => (received.at(-1)?.seq ?? 0) >= lastEventSeq);
      stopped.abort();
      await follow;
      const journal = await journalOf(server, id);
      const seqs = received.map(({ seq }) => seq);
      const kept = new Set(journal.map(({ seq }) => seq));
      expect(received.filter(({ seq }) => kept.has(seq))).toEqual(journal);
      expect(received.filter(({ seq }) => !kept.has(seq)).every(isPassing)).toBe(true);
      expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
      for (const event of received)
        if (published.has(event.seq)) expect(event).toEqual(published.get(event.seq));
      cutCount += proxy.cutCount;
      await server.stop();
    }),
    { numRuns: 10, plugins: [everyCase] },
  );
  expect(cutCount).toBeGreaterThan(10);
});
