import { expect, it } from 'vitest';
import { faultsOf, isAtRest, openTalk } from './talks.ts';
import { openFleet } from './fleet.ts';
import { slowModel, stopInTheMiddle } from './stopped-node.ts';
import { randomFrom, seedOf } from './random.ts';
import { until } from '../operation/serve-process.ts';
import { isDeepRun } from '@throughline/testkit';

const sessions = 6;

it('two nodes that start at once on an empty database, and are killed at work, lose and double nothing', async (test) => {
  const random = randomFrom(seedOf());
  const opened = await openFleet({ nodes: 2, model: { wordMs: 10 } });
  if (typeof opened === 'string') return test.skip(opened);
  await using fleet = opened;
  const talks = await Promise.all(
    Array.from({ length: sessions }, (_, index) =>
      openTalk({
        fleet,
        name: `${index}-first`,
        job: { steps: 1 + (index % 3), words: 40, tool: 200 },
        random,
        stayMs: 500,
      }),
    ),
  );
  for (const place of [0, 1]) {
    const before = fleet.toolStarts().length;
    await until(() => fleet.toolStarts().length > before || talks.every(({ told }) => told.length > 0));
    const dead = fleet.nodes[place];
    await dead?.end('SIGKILL');
    await fleet.audit.expireLeasesOf(dead?.name ?? '');
    const more = talks.map((talk, index) =>
      talk.send(`${index}-${place}`, { steps: index % 2, words: 20, tool: 20 }),
    );
    await Promise.all([fleet.start(place), ...more]);
  }
  await until(() => isAtRest(fleet), 100);
  expect(await faultsOf(fleet, talks)).toEqual([]);
  // Nothing of this would be seen where nothing was done.
  expect(talks.flatMap(({ accepted }) => accepted)).toHaveLength(3 * sessions);
  expect(fleet.toolStarts().length).toBeGreaterThanOrEqual(sessions);
  await Promise.all(talks.map((talk) => talk.end()));
});

// `npm run test:machines` does it on three nodes, too.
it.runIf(isDeepRun)(
  'a node that is stopped in an answer, a tool and a request, and comes back when another has its sessions, writes nothing and runs no tool',
  async (test) => {
    const opened = await openFleet({ nodes: 1, model: slowModel });
    if (typeof opened === 'string') return test.skip(opened);
    await using fleet = opened;
    const { node, talks, isReplaced, writtenSince } = await stopInTheMiddle(fleet, randomFrom(seedOf()));
    await fleet.audit.expireLeasesOf(node.name);
    await fleet.start(1);
    await until(isReplaced, 100);
    node.signal('SIGCONT');
    await until(() => isAtRest(fleet), 100);
    expect(await faultsOf(fleet, talks)).toEqual([]);
    expect(await writtenSince()).toEqual([]);
    await Promise.all(talks.map((talk) => talk.end()));
  },
);
