import { findWireFaults, memoryFolder } from '@throughline/testkit';
import { folderBlobs, openSqliteStore } from '@throughline/stores';
import { join } from 'node:path';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createAgent } from '../../src/index.ts';
import { createCheckedDriver } from './checked-driver.ts';
import { findSessionFaults } from './find-session-faults.ts';
import { seededRandom } from './seeded-random.ts';
import { startWorker } from './worker.ts';
import { systemTimer } from '@throughline/ports';
import type { Order, Report } from './worker-process.ts';
import type { SentMessage, SessionFacts } from './find-session-faults.ts';
import type { SessionStore } from '@throughline/ports';
import type { Worker } from './worker.ts';

export interface LongRunOptions {
  readonly seed: number;
  readonly steps: number;
  readonly kills: number;
  /** Told what happens. */
  readonly trace?: (line: string) => void;
}

export interface LongRunResult {
  /** What is not as it must be. */
  readonly faults: readonly string[];
  /** Deleted where there are no faults. */
  readonly folder: string;
  /** How often each order came to what. */
  readonly orders: Readonly<Record<string, number>>;
}

const sessionId = 'long';
const windowTokens = 16_000;
const leaseTtlMs = 500;
const task = 'The task TASK-7f3a: keep the folder in order until you are told that it is done.';

/** One long run: what was asked of it, and what it has left behind. */
interface LongRun {
  readonly folder: string;
  readonly random: () => number;
  readonly options: LongRunOptions;
  readonly sent: (SentMessage & { isUnsure: boolean })[];
  readonly faults: string[];
  /** Orders that were not carried out when their process died are given again. */
  readonly pending: Order[];
  readonly results: Map<string, number>;
  steps: number;
  isIdle: boolean;
  wake: () => void;
}

/** Works for so many steps, killed so often, and then looks at everything. */
export async function runLong(options: LongRunOptions): Promise<LongRunResult> {
  const folder = await mkdtemp(join(memoryFolder(), 'throughline-long-'));
  const run: LongRun = {
    folder,
    random: seededRandom(options.seed),
    options,
    sent: [],
    faults: [],
    pending: [],
    results: new Map(),
    steps: 0,
    isIdle: false,
    wake: () => {},
  };
  await prepareFolder(run);
  for (let boot = 0; boot <= options.kills; boot += 1) await live(run, boot);
  if (run.faults.length === 0) {
    await checkRequests(run);
    await checkAfterwards(run);
  }
  if (run.faults.length === 0) await rm(folder, { recursive: true });
  return { faults: run.faults, folder, orders: Object.fromEntries(run.results) };
}

async function prepareFolder({ folder, random }: LongRun): Promise<void> {
  await mkdir(join(folder, 'work'));
  await mkdir(join(folder, 'requests'));
  await writeFile(join(folder, 'journal.txt'), '');
  for (let index = 0; index < 6; index += 1) {
    const lines = Array.from(
      { length: 60 },
      (_, line) => `${line} module ${Math.floor(random() * 1e9)} path/e`,
    );
    await writeFile(join(folder, 'work', `file-${index}.txt`), `${lines.join('\n')}\n`);
  }
  await using store = await openStore(folder);
  await store.sessions.create({ id: sessionId });
}

function openStore(folder: string): Promise<SessionStore> {
  let ids = 0;
  return openSqliteStore({
    file: join(folder, 'sessions.db'),
    blobs: folderBlobs(join(folder, 'blobs')),
    clock: { nowMs: () => Date.now() },
    ids: { nextId: (kind) => `${kind}-look-${(ids += 1)}` },
  });
}

/** One process, from its start until it is killed; the last one until all is done. */
async function live(run: LongRun, boot: number): Promise<void> {
  const { options, random } = run;
  const isLast = boot === options.kills;
  const endSteps = isLast
    ? options.steps
    : ((boot + 0.2 + 0.8 * random()) * options.steps) / (options.kills + 1);
  const ready = Promise.withResolvers<void>();
  run.isIdle = false;
  const worker = startWorker(
    {
      folder: run.folder,
      sessionId,
      boot: `p${boot}`,
      seed: options.seed * 1_000 + boot,
      windowTokens,
      leaseTtlMs,
      task,
    },
    (report) => {
      if (report.type === 'ready') ready.resolve();
      note(run, report);
      if (report.type === 'fault') ready.resolve();
      run.wake();
    },
  );
  await ready.promise;
  for (const order of run.pending) worker.tell(order);
  if (boot === 0) send(run, worker, task);
  while (run.steps < endSteps && run.faults.length === 0) {
    const hadSteps = run.steps;
    if (!run.isIdle) await nextReport(run);
    if (run.isIdle || (run.steps > hadSteps && random() < 0.12)) interfere(run, worker);
  }
  if (isLast) await finish(run, worker);
  else await systemTimer.wait(random() * 60);
  await worker.kill();
  options.trace?.(`killed ${boot}`);
}

function nextReport(run: LongRun): Promise<void> {
  return new Promise((resolve) => {
    run.wake = resolve;
  });
}

function note(run: LongRun, report: Report): void {
  run.options.trace?.(`${run.steps} ${JSON.stringify(report)}`);
  if (report.type === 'fault') run.faults.push(report.message);
  if (report.type === 'step') run.steps += 1;
  // It may have been said before what was sent has come in.
  if (report.type === 'idle') run.isIdle = run.pending.every(({ type }) => type !== 'send');
  if (report.type !== 'done') return;
  const { order, id, result } = report;
  const key = `${order} ${result}`;
  run.results.set(key, (run.results.get(key) ?? 0) + 1);
  const index = run.pending.findIndex((one) => one.type === order && (!('id' in one) || one.id === id));
  if (index >= 0) run.pending.splice(index, 1);
  const sent = run.sent.find((one) => one.id === id);
  if (order === 'send' && sent) sent.isUnsure = false;
}

/** What users do: mostly they say something. */
function interfere(run: LongRun, worker: Worker): void {
  const dice = run.random();
  if (run.isIdle || dice < 0.7) send(run, worker);
  else tell(run, worker, { type: dice < 0.8 ? 'cancel' : dice < 0.9 ? 'compact' : 'undo' });
}

function send(run: LongRun, worker: Worker, say?: string): void {
  const number = run.sent.length;
  const text = say ?? `Look at file-${number % 7}.txt, too: token-${number}-of-user.`;
  run.isIdle = false;
  run.sent.push({ id: `sent-${number}`, texts: [text], isUnsure: true });
  tell(run, worker, { type: 'send', id: `sent-${number}`, text });
}

function tell(run: LongRun, worker: Worker, order: Order): void {
  run.options.trace?.(JSON.stringify(order));
  run.pending.push(order);
  worker.tell(order);
}

async function finish(run: LongRun, worker: Worker): Promise<void> {
  tell(run, worker, { type: 'finish' });
  send(run, worker, 'It is done: token-last.');
  while ((!run.isIdle || run.pending.length > 0) && run.faults.length === 0) await nextReport(run);
}

async function checkRequests({ folder, faults, options }: LongRun): Promise<void> {
  const log = (await readFile(join(folder, 'requests.log'), 'utf8')).trim().split('\n');
  if (log.length < options.steps) faults.push(`only ${log.length} requests`);
  for (const line of log) {
    const {
      boot,
      requests,
      faults: own,
    } = JSON.parse(line) as {
      readonly boot: string;
      readonly requests: number;
      readonly faults: readonly string[];
    };
    for (const fault of own) faults.push(`request ${requests} of ${boot}: ${fault}`);
  }
  for (const name of await readdir(join(folder, 'requests'))) {
    const messages = JSON.parse(await readFile(join(folder, 'requests', name), 'utf8')) as readonly unknown[];
    for (const fault of findWireFaults('anthropic', messages)) faults.push(`${name}: ${fault}`);
  }
}

/** A fresh look at what is stored, as another process has it. */
async function checkAfterwards(run: LongRun): Promise<void> {
  const { folder, faults, sent } = run;
  await using store = await openStore(folder);
  const lines = (await readFile(join(folder, 'journal.txt'), 'utf8'))
    .split('\n')
    .filter((line) => line !== '');
  const facts: SessionFacts = { sent, lines, journalTools: new Set(['note', 'asked-note']) };
  faults.push(...(await findSessionFaults(store, sessionId, facts)));
  await checkRecall(store, run, lines);
  await checkUndo(store, run);
}

async function checkRecall(
  store: SessionStore,
  { faults }: LongRun,
  lines: readonly string[],
): Promise<void> {
  const oldest = await store.history.recall(sessionId, 'm0');
  if (oldest?.text !== task) faults.push(`m0 recalls ${oldest?.text}`);
  for (const query of ['token-1-of-user', lines[0] ?? '', lines.at(-1) ?? '']) {
    const hits = await store.history.search(sessionId, query, 5);
    const first = hits[0] && (await store.history.recall(sessionId, hits[0].id));
    if (first?.text.includes(query) !== true) faults.push(`${query} is not found`);
  }
  const checkpoints = await store.history.checkpoints(sessionId);
  if (checkpoints.length === 0) faults.push('nothing was compacted');
  let cursor: string | null | undefined;
  const seen: number[] = [];
  do {
    const page = await store.history.page(sessionId, { limit: 100, ...(cursor ? { cursor } : {}) });
    seen.push(...page.items.map(({ ordinal }) => ordinal).toReversed());
    cursor = page.next;
  } while (cursor !== null);
  if (seen.some((ordinal, index) => ordinal !== seen.length - 1 - index)) faults.push('pages have gaps');
}

/** A compaction and its undo leave the request as it was, byte for byte. */
async function checkUndo(store: SessionStore, { faults }: LongRun): Promise<void> {
  await systemTimer.wait(leaseTtlMs);
  const notFor = (): never => {
    throw new Error('The model is not to be asked.');
  };
  await using agent = createAgent({
    driver: createCheckedDriver({
      timer: systemTimer,
      windowTokens,
      task,
      next: notFor,
      onRequest: notFor,
      onRefused: notFor,
    }),
    store,
    clock: { nowMs: () => Date.now() },
    timer: systemTimer,
    ids: { nextId: (kind) => `${kind}-undo-${Math.random()}` },
    instructions: 'You work in a folder of files.',
  });
  const session = await agent.open(sessionId);
  const before = JSON.stringify(await session.request());
  const compacted = await session.compact();
  if (compacted.type === 'nothing-to-do') return;
  const undone = await session.undo();
  if (compacted.type !== 'compacted' || undone.type !== 'undone') {
    return void faults.push(`compact: ${JSON.stringify(compacted)}, undo: ${JSON.stringify(undone)}`);
  }
  if (JSON.stringify(await session.request()) !== before)
    faults.push('the request is not what it was after undo');
}
