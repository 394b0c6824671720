import { describe, expect, it } from 'vitest';
import { existsSync } from 'node:fs';
import { startOwnPooler } from '@throughline/testkit';
import { openFleet } from './fleet.ts';
import { randomFrom, seedOf } from './random.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { acts, goOn, longerThanLeasesMs } from './acts.ts';
import { slowModel, stopInTheMiddle } from './stopped-node.ts';
import { faultsOf, openTalk } from './talks.ts';
import { until } from '../operation/serve-process.ts';
import type { ActName } from './acts.ts';
import type { Fleet, FleetOptions } from './fleet.ts';
import type { Talk } from './talks.ts';

const random = randomFrom(seedOf());

/** Runs something on a fleet with sessions at work, waits until all rest, and looks at what must hold. */
async function tried(
  options: FleetOptions,
  work: (fleet: Fleet, talks: readonly Talk[]) => Promise<void>,
): Promise<void> {
  const opened = await openFleet({ model: { wordMs: 20, firstMs: 50 }, ...options });
  if (typeof opened === 'string') throw new Error(opened);
  await using fleet = opened;
  const talks = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      openTalk({
        fleet,
        name: `${index}-first`,
        job: { steps: 1 + (index % 4), words: 60, tool: 400 },
        random,
        stayMs: 4_000,
      }),
    ),
  );
  await until(() => fleet.toolStarts().length > 3);
  await work(fleet, talks);
  await Promise.all(
    talks.map((talk, index) => talk.send(`${index}-second`, { steps: 1, words: 10, tool: 50 })),
  );
  await goOn(fleet);
  expect(await faultsOf(fleet, talks)).toEqual([]);
  await Promise.all(talks.map((talk) => talk.end()));
}

describe('sessions at work on three nodes lose and double nothing', () => {
  it.each(Object.keys(acts) as ActName[])('when this is done to one of them: %s', async (name) => {
    await tried({ nodes: 3 }, async (fleet) => {
      await acts[name](fleet, 0);
    });
  });

  it('when all are killed at once, and start at once', async () => {
    await tried({ nodes: 3 }, async (fleet) => {
      await Promise.all(fleet.nodes.map((node) => node.end('SIGKILL')));
      await Promise.all([0, 1, 2].map((place) => fleet.start(place)));
    });
  });

  it('when one is stopped in an answer, a tool and a request for twice the life of a lease, and comes back', async () => {
    const opened = await openFleet({ nodes: 1, model: slowModel });
    if (typeof opened === 'string') throw new Error(opened);
    await using fleet = opened;
    const stopped = await stopInTheMiddle(fleet, random);
    await fleet.start(1);
    await sleep(longerThanLeasesMs);
    expect(await stopped.isReplaced()).toBe(true);
    stopped.node.signal('SIGCONT');
    await goOn(fleet);
    expect(await faultsOf(fleet, stopped.talks)).toEqual([]);
    expect(await stopped.writtenSince()).toEqual([]);
    await Promise.all(stopped.talks.map((talk) => talk.end()));
  });

  it('when a pooler hands their connections round, one of them is killed and one is cut off for a while', async (test) => {
    const there = await startOwnPooler({ port: 1 });
    if (typeof there === 'string') return test.skip(there);
    await there[Symbol.asyncDispose]();
    await tried({ nodes: 3, pooler: true }, async (fleet) => {
      await acts.kill(fleet, 0);
      await acts.drop(fleet, 1);
      // Nobody sees the crash but by the leases.
      await sleep(longerThanLeasesMs);
      expect(fleet.nodes.map((node) => node.log().includes('A pooler hands'))).toEqual([true, true, true]);
    });
  });

  it('when Postgres takes no more connections than they want together', async () => {
    await tried(
      { nodes: 3, postgres: { max_connections: 18, superuser_reserved_connections: 3 } },
      async () => {},
    );
  });

  const library = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
  // Without the command `faketime`, which would stand between us and the node that is to be killed.
  const clock = (offset: string) => ({
    env: { LD_PRELOAD: library, FAKETIME: offset, DONT_FAKE_MONOTONIC: '1' },
  });
  it.skipIf(!existsSync(library))('when their clocks are ten minutes off, and one is killed', async () => {
    const places = ['+10m', '-10m'].map(clock);
    await tried({ nodes: 1 }, async (fleet, talks) => {
      for (const [index, more] of places.entries()) await fleet.start(index + 1, more);
      const [first] = fleet.nodes;
      await first?.end('SIGKILL');
      await Promise.all(
        talks.map((talk, index) => talk.send(`${index}-off`, { steps: 1, words: 10, tool: 50 })),
      );
      await fleet.start(0);
      await goOn(fleet);
      const rows = await fleet.audit.query(`select distinct node from audit.owners`);
      expect(rows.map(({ node }) => node?.slice(0, 'node-0'.length))).toEqual(
        expect.arrayContaining(['node-1', 'node-2']),
      );
    });
  });
});
