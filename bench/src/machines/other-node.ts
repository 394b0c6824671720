/** A node whose runs never end by themselves: it is killed, cut off, cancelled, or stores events that others follow. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool } from '@throughline/agent';
import { openPostgresStore } from '@throughline/stores/postgres';
import { z } from 'zod';
import { benchAgent } from '../agent/bench-agent.ts';
import { playedDriver } from '../agent/played-driver.ts';
import type { ModelDriver } from '@throughline/ports';

/** `begin` says the id of a session that runs, `ask` of one whose run waits for an answer to go on; `tell` stores so many events in each, and says when all are stored. */
export type Wish =
  | { readonly type: 'begin' }
  | { readonly type: 'ask' }
  | { readonly type: 'tell'; readonly sessionIds: readonly string[]; readonly everyMs: number };

const store = await openPostgresStore({ url: process.argv[2] ?? '' });
const hanging: ModelDriver = {
  ...playedDriver(() => ({ pieces: [] })),
  async *stream(_, { signal }) {
    yield { type: 'text-start', id: 't' };
    if (!signal.aborted) await once(signal, 'abort');
    yield { type: 'error', failure: { kind: 'cancelled', message: '', recoverable: false }, messages: [] };
  },
};
const agent = benchAgent(store, { driver: hanging });
agent.watch();

const asking = benchAgent(store, {
  driver: playedDriver(({ messages }) => ({
    pieces: [],
    ...(messages.length === 1 && { call: { callId: 'c', name: 'write', input: {} } }),
  })),
  tools: [
    defineTool({
      name: 'write',
      description: 'Writes',
      input: z.object({}),
      approval: 'ask',
      reads: () => [],
      execute: () => String(performance.timeOrigin + performance.now()),
    }),
  ],
  approvals: { isAttended: () => true },
});
asking.watch();

const grant = {
  async begin(): Promise<string> {
    const session = await agent.create();
    await session.send('Do it.');
    return session.id;
  },
  async ask(): Promise<string> {
    const session = await asking.create();
    await session.send('Do it.');
    while ((await session.approvals.pending()).length === 0) await sleep(5);
    return session.id;
  },
  async tell({ sessionIds, everyMs }: Extract<Wish, { readonly type: 'tell' }>): Promise<string> {
    for (const id of sessionIds) {
      await store.journal.append(id, [{ type: 'told', data: performance.timeOrigin + performance.now() }]);
      await sleep(everyMs);
    }
    return 'told';
  },
};

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const wish = JSON.parse(line) as Wish;
  const said = wish.type === 'tell' ? await grant.tell(wish) : await grant[wish.type]();
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
process.exit(0);
