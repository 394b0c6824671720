/** A process that does jobs of one step: as an agent over a store, or as a worker of a queue that is compared with. */
import { createInterface } from 'node:readline';
import { openPostgresStore } from '@throughline/stores/postgres';
import { benchAgent, openFile } from '../agent/bench-agent.ts';
import { openPeerQueue } from './peer-queues.ts';
import { playedDriver } from '../agent/played-driver.ts';
import type { SessionStore } from '@throughline/ports';
import type { Work, Worked } from './processes.ts';

const [kind = '', place = ''] = process.argv.slice(2);

type Doing = (work: Work) => Promise<void>;

/** Each run is a session of its own: a message, one answer, and its end. */
async function runsOver(store: SessionStore): Promise<Doing> {
  const agent = benchAgent(store, { driver: playedDriver(() => ({ pieces: ['Done.'] })) });
  await (await agent.create()).send('Warm up.');
  return async ({ runs, atOnce }) => {
    let left = runs;
    const lane = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const session = await agent.create();
        await session.send('Do it.');
        await session.settled();
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
  };
}

const kinds: Readonly<Record<string, () => Promise<Doing>>> = {
  postgres: async () => await runsOver(await openPostgresStore({ url: place })),
  sqlite: async () => await runsOver(await openFile(place)),
  'pg-boss': () => openPeerQueue('pg-boss', place),
  'graphile-worker': () => openPeerQueue('graphile-worker', place),
};

const doing = await kinds[kind]?.();
process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const before = { ms: performance.now(), cpu: process.cpuUsage() };
  await doing?.(JSON.parse(line) as Work);
  const { user, system } = process.cpuUsage(before.cpu);
  const worked: Worked = { ms: performance.now() - before.ms, cpuSeconds: (user + system) / 1e6 };
  process.stdout.write(`${JSON.stringify(worked)}\n`);
}
process.exit(0);
