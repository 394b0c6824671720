// An agent at work in a process of its own, for tests that kill it. It is told what to do by lines of JSON.
import { createInterface } from 'node:readline';
import { fsyncSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { folderBlobs, openSqliteStore } from '@throughline/stores';
import { systemClock, systemTimer } from '@throughline/ports';
import { withRetry } from '@throughline/drivers';
import { createAgent, createBuiltInTools, openWorkspace } from '../../src/index.ts';
import { createCheckedDriver } from './checked-driver.ts';
import { createJournalTool } from './journal-tool.ts';
import { createMoodySummariser } from './moody-summariser.ts';
import { createWorkerModel } from './worker-model.ts';
import { seededRandom } from './seeded-random.ts';
import type { AgentSession } from '../../src/index.ts';

export interface WorkerOptions {
  readonly folder: string;
  readonly sessionId: string;
  /** Names the process. */
  readonly boot: string;
  readonly seed: number;
  readonly windowTokens: number;
  readonly leaseTtlMs: number;
  readonly task: string;
}

/** What the worker is told. */
export type Order =
  | { readonly type: 'send'; readonly id: string; readonly text: string }
  | { readonly type: 'edit'; readonly id: string; readonly text: string }
  | { readonly type: 'remove'; readonly id: string }
  | { readonly type: 'cancel' | 'compact' | 'undo' | 'finish' };

/** What it says. */
export type Report =
  | { readonly type: 'ready' | 'idle' | 'step' }
  | { readonly type: 'done'; readonly order: Order['type']; readonly id?: string; readonly result: string }
  | { readonly type: 'fault'; readonly message: string };

const options = JSON.parse(process.argv[2] ?? '{}') as WorkerOptions;
const { folder, sessionId, boot, windowTokens, leaseTtlMs, task } = options;
const random = seededRandom(options.seed);
const clock = systemClock;
const timer = systemTimer;
let ids = 0;
const idSource = { nextId: (kind: string): string => `${kind}-${boot}-${(ids += 1)}` };

/** Written at once: what is in a buffer dies with the process. */
const report = (line: Report): void => void writeSync(1, `${JSON.stringify(line)}\n`);
const log = openSync(join(folder, 'requests.log'), 'a');
let requests = 0;
let isFinishing = false;
/** An order is carried out that no run may disturb. */
let isOrdered = false;
/** It was said that all is done, and nothing was sent since. */
let isIdle = false;

const store = await openSqliteStore({
  file: join(folder, 'sessions.db'),
  blobs: folderBlobs(join(folder, 'blobs')),
  clock,
  ids: idSource,
});
const workspace = await openWorkspace(join(folder, 'work'));
const journal = join(folder, 'journal.txt');
const pause = async (): Promise<unknown> => (random() < 0.3 ? timer.wait(random() * 30) : undefined);
const driver = createCheckedDriver({
  timer,
  windowTokens,
  task,
  random,
  next: createWorkerModel({ random, boot, isFinishing: () => isFinishing }),
  onRequest: (request, faults) => {
    requests += 1;
    writeSync(log, `${JSON.stringify({ boot, requests, faults })}\n`);
    fsyncSync(log);
    if (requests % 25 === 1) {
      const file = join(folder, 'requests', `${boot}-${requests}.json`);
      writeFileSync(file, JSON.stringify(request.messages));
    }
  },
  onRefused: (message) => report({ type: 'fault', message: `refused: ${message}` }),
});
const agent = createAgent({
  driver: withRetry(driver, { clock, timer, firstDelayMs: 5, attempts: 8 }),
  store,
  clock,
  timer,
  retry: { firstDelayMs: 5, attempts: 8 },
  ids: idSource,
  tools: [
    ...createBuiltInTools({
      workspace,
      bash: { sandbox: { type: 'none', reason: 'a test' }, environment: process.env },
    }),
    createJournalTool('note', journal, pause),
    createJournalTool('asked-note', journal, pause),
  ],
  instructions: 'You work in a folder of files.',
  summariser: { type: 'model', driver: createMoodySummariser(random, timer), windowTokens },
  approvals: {
    rules: { note: 'allow', bash: 'allow', write: 'allow', edit: 'allow' },
    isAttended: () => true,
  },
  limits: { maxSteps: 30, graceMs: 5_000 },
  owner: boot,
  leaseTtlMs,
});

const session = await agent.open(sessionId);
session.subscribe(({ type }) => {
  if (type === 'step:end') report({ type: 'step' });
  if (type === 'approval:requested') void approve();
});

/** Somebody answers after a while, and not always with yes. */
async function approve(): Promise<void> {
  await timer.wait(random() * 20);
  for (const { id } of await session.approvals.pending()) {
    await session.approvals.answer(id, random() < 0.8 ? { type: 'allow', scope: 'once' } : { type: 'deny' });
  }
}

/** A run that was cut off, cancelled or stopped by a limit goes on; what is done waits for the next order. */
async function keepGoing(): Promise<void> {
  for (;;) {
    const outcome = await session.settled();
    if (outcome?.type === 'broken' || outcome?.type === 'cannot-fit') {
      report({ type: 'fault', message: JSON.stringify(outcome) });
    }
    const resumed = isOrdered ? undefined : await session.resume();
    if (!resumed && !session.isRunning && !isOrdered && !isIdle) {
      report({ type: 'idle' });
      isIdle = true;
    }
    await timer.wait(5);
  }
}

const orders: {
  readonly [Type in Order['type']]: (order: Extract<Order, { type: Type }>) => Promise<string>;
} = {
  send: async ({ id, text }) => {
    isIdle = false;
    try {
      return (await session.send(text, { id })).isQueued ? 'queued' : 'begun';
    } catch (error) {
      // It was delivered before the kill; whoever sent it was not told.
      if ((error as { readonly code?: string }).code === 'already-exists') return 'known';
      throw error;
    }
  },
  edit: async ({ id, text }) => String(await session.queue.edit(id, text)),
  remove: async ({ id }) => String(await session.queue.remove(id)),
  cancel: () => alone(async () => 'cancelled'),
  compact: () => alone(async (one) => (await one.compact()).type),
  undo: () => alone(async (one) => (await one.undo()).type),
  finish: async () => {
    isFinishing = true;
    return 'finishing';
  },
};

async function alone(act: (one: AgentSession) => Promise<string>): Promise<string> {
  isOrdered = true;
  try {
    await session.cancel();
    return await act(session);
  } finally {
    isOrdered = false;
  }
}

async function obey(order: Order): Promise<void> {
  const result = await orders[order.type](order as never);
  report({ type: 'done', order: order.type, ...('id' in order ? { id: order.id } : {}), result });
}

const fail = (error: unknown): void =>
  report({ type: 'fault', message: error instanceof Error ? (error.stack ?? '') : String(error) });
process.on('unhandledRejection', fail);

if (random() < 0.5) await agent.recover();
while ((await store.journal.unfinished()).some(({ hasOpenRun }) => hasOpenRun) && !session.isRunning) {
  await agent.recover();
  await timer.wait(20);
}
void approve();
report({ type: 'ready' });
void keepGoing().catch(fail);
createInterface({ input: process.stdin }).on(
  'line',
  (line) => void obey(JSON.parse(line) as Order).catch(fail),
);
