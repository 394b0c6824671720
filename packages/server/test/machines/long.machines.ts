import { expect, it } from 'vitest';
import { faultsOf } from './talks.ts';
import { openFleet } from './fleet.ts';
import { randomFrom, seedOf } from './random.ts';
import { runChaos } from './chaos.ts';

const { MACHINES_MINUTES = '10', MACHINES_SESSIONS = '200' } = process.env;
const sessions = Number(MACHINES_SESSIONS);

it(`three nodes with ${sessions} sessions that are killed at random for ${MACHINES_MINUTES} minutes lose and double nothing`, async (test) => {
  const random = randomFrom(seedOf());
  const opened = await openFleet({
    nodes: 3,
    model: { wordMs: 20, firstMs: 50, fails: (request) => request % 97 === 0 },
    postgres: { max_connections: 100 },
  });
  if (typeof opened === 'string') return test.skip(opened);
  await using fleet = opened;
  const { talks, done } = await runChaos({
    fleet,
    random,
    sessions,
    ms: Number(MACHINES_MINUTES) * 60_000,
    acts: ['kill', 'kill', 'kill', 'kill', 'drop', 'restart', 'slow', 'suspend'],
    pauseMs: 8_000,
  });
  expect(await faultsOf(fleet, talks)).toEqual([]);
  process.stdout.write(
    `${done.length} acts, ${talks.flatMap(({ accepted }) => accepted).length} messages, ` +
      `${talks.reduce((sum, { told }) => sum + told.length, 0)} events told\n`,
  );
  await Promise.all(talks.map((talk) => talk.end()));
});
