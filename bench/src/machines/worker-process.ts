/** A process that does jobs of one step: as an agent over a store, or as a worker of a queue that is compared with. */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineTool } from '@throughline/agent';
import { openPostgresStore } from '@throughline/stores/postgres';
import { benchAgent, openFile } from '../agent/bench-agent.ts';
import { openPeerQueue } from './peer-queues.ts';
import { playedDriver } from '../agent/played-driver.ts';
import type { AgentOptions } from '@throughline/agent';
import type { SessionStore } from '@throughline/ports';
import { codingStep } from './processes.ts';
import type { Work, Worked } from './processes.ts';

const [kind = '', place = ''] = process.argv.slice(2);

type Doing = (work: Work) => Promise<void>;

type Played = Pick<AgentOptions, 'driver'> & Partial<AgentOptions>;

const short: Played = { driver: playedDriver(() => ({ pieces: ['Done.'] })) };

/** As coding agents do: each step says some lines in two seconds, and calls for a file; the tenth is the answer. */
const coding: Played = {
  tools: [
    defineTool({
      name: 'read_file',
      description: 'Reads a file.',
      input: z.strictObject({ path: z.string() }),
      reads: () => [],
      execute: ({ path }) => `${path}\n`.repeat(Math.ceil(codingStep.resultCharacters / (path.length + 1))),
    }),
  ],
  driver: playedDriver(({ messages }) => {
    const done = messages.filter((message) => isResult(message)).length;
    const call = {
      callId: `call_${done}`,
      name: 'read_file',
      input: { path: `src/module-${done}/parser.ts` },
    };
    return { pieces: spoken(), ...(done + 1 < codingStep.stepsPerRun && { call }) };
  }),
};

const isResult = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'role' in message && message.role === 'tool';

async function* spoken(): AsyncGenerator<string> {
  for (let piece = 0; piece < codingStep.pieces; piece += 1) {
    await sleep(codingStep.speakingMs / codingStep.pieces);
    yield 'some words ';
  }
}

/** Each run is a session of its own: a message, an answer of one step or more, and its end. */
async function runsOver(store: SessionStore, played: Played = short): Promise<Doing> {
  const agent = benchAgent(store, played);
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
  'postgres-coding': async () => await runsOver(await openPostgresStore({ url: place }), coding),
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
