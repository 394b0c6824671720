/**
 * How fast the store is as a session grows: writing a step, opening, loading, paging, searching, recalling; beside the
 * floor, a bare `node:sqlite` table that takes the same texts in as many transactions. In one run, on a real file.
 *
 *   npm run bench:stores -- [--sizes 1000,10000,100000] [--json]
 */
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { tmpdir } from 'node:os';
import { emptyState } from '@throughline/core';
import { folderBlobs, openSqliteStore } from '@throughline/stores';
import { formatNumber, formatTable } from './table.ts';
import { heapBytes, median, quantile, settle, timed } from './engine/measure.ts';
import { writeReport } from './report-file.ts';
import type { Checkpoint, ContextState } from '@throughline/core';
import type { SessionMessage } from '@throughline/core/codec';
import type { Change } from '@throughline/core/types';
import type { Lease, SessionStore } from '@throughline/ports';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000' },
    json: { type: 'boolean', default: false },
  },
});
const sizes = values.sizes.split(',').map(Number);
const sessionId = 'bench';
/** Messages behind the summary: what a view of a long session shows. */
const tail = 60;
/** Messages that are written step by step; those before them in bulk. */
const measuredMessages = 1_000;
const bulk = 200;
const words = 'the of login module error test return value path file function index read write build'.split(
  ' ',
);
const openings = 7;
const lookups = 60;

interface Figures {
  readonly messages: number;
  readonly stepsPerSecond: number;
  readonly floorStepsPerSecond: number;
  readonly openMs: number;
  readonly contextMs: number;
  readonly wholeContextMs: number;
  readonly firstPageMs: number;
  readonly deepPageMs: number;
  readonly searchMs: readonly [number, number];
  readonly shortSearchMs: readonly [number, number];
  readonly recallMs: readonly [number, number];
  readonly textBatchMs: readonly [number, number];
  readonly heapMB: number;
  readonly fileMB: number;
  readonly floorFileMB: number;
}

const all: Figures[] = [];
for (const size of sizes) {
  all.push(await measure(size));
  if (process.stderr.isTTY) process.stderr.write(`  ${size} messages\n`);
}
const path = writeReport('stores', { node: process.version, figures: all });
process.stdout.write(values.json ? `${JSON.stringify(all)}\n` : `${print()}\n\nReport: ${path}\n`);

async function measure(messages: number): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
  const file = join(folder, 'sessions.db');
  const floorFile = join(folder, 'floor.db');
  const floorStepsPerSecond = fillFloor(floorFile, messages);
  let store = await open(file, folder);
  await store.sessions.create({ id: sessionId });
  const lease = await store.leases.acquire(sessionId, 'bench', 1e12);
  if (!lease) throw new Error('expected a lease');
  const stepsPerSecond = await fill(store, lease, messages);
  const wholeContextMs = await timed(() => store.history.context(sessionId));
  const textBatchMs = await streamText(store, lease);
  await compact(store, lease, messages);

  const openTimes: number[] = [];
  const contextTimes: number[] = [];
  const pageTimes: number[] = [];
  for (let round = 0; round < openings; round += 1) {
    await store[Symbol.asyncDispose]();
    await settle();
    openTimes.push(await timed(async () => void (store = await open(file, folder))));
    contextTimes.push(await timed(() => store.history.context(sessionId)));
    pageTimes.push(await timed(() => store.history.page(sessionId)));
  }
  const deepPageMs = median(
    await timesOf((index) =>
      store.history.page(sessionId, { cursor: String(1 + ((index * 7919) % messages)) }),
    ),
  );
  const figures: Figures = {
    messages,
    stepsPerSecond,
    floorStepsPerSecond,
    openMs: median(openTimes),
    contextMs: median(contextTimes),
    wholeContextMs,
    firstPageMs: median(pageTimes),
    deepPageMs,
    searchMs: spread(await timesOf((index) => store.history.search(sessionId, queryFor(index, messages)))),
    shortSearchMs: spread(await timesOf((index) => store.history.search(sessionId, index % 2 ? '京' : 'zq'))),
    recallMs: spread(
      await timesOf((index) => store.history.recall(sessionId, `m${(index * 7919) % messages}`)),
    ),
    textBatchMs,
    heapMB: heapBytes() / 1e6,
    fileMB: statSync(file).size / 1e6,
    floorFileMB: statSync(floorFile).size / 1e6,
  };
  await store[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
  return figures;
}

function open(file: string, folder: string): Promise<SessionStore> {
  let ids = 0;
  return openSqliteStore({
    file,
    blobs: folderBlobs(join(folder, 'blobs')),
    clock: { nowMs: () => Date.now() },
    ids: { nextId: (kind) => `${kind}-${(ids += 1)}` },
  });
}

/** A step of an agent: two messages, the state, an event; one transaction. Only the last steps are written so. */
async function fill(store: SessionStore, lease: Lease, messages: number): Promise<number> {
  let state: ContextState = emptyState();
  const first = Math.max(0, messages - measuredMessages);
  for (let index = 0; index < first; index += bulk) {
    const steps = Array.from({ length: bulk / 2 }, (_, step) => stepMessages(index + 2 * step));
    await store.write(
      lease,
      steps.flat().map((message) => ({ type: 'message', message })),
    );
  }
  const ms = await timed(async () => {
    for (let index = first; index < messages; index += 2) {
      state = { ...state, sentTokens: index };
      await store.write(lease, [
        ...stepMessages(index).map((message) => ({ type: 'message' as const, message })),
        { type: 'state', state },
        { type: 'event', event: { type: 'step:end', data: { index } } },
      ]);
    }
  });
  return (messages - first) / 2 / (ms / 1_000);
}

function fillFloor(file: string, messages: number): number {
  using database = new DatabaseSync(file);
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; create table messages (key integer primary key, text text)',
  );
  const insert = database.prepare('insert into messages (text) values (?)');
  const first = Math.max(0, messages - measuredMessages);
  const add = (from: number, end: number): void => {
    database.exec('begin immediate');
    for (let index = from; index < end; index += 2) {
      for (const message of stepMessages(index)) insert.run(JSON.stringify(message));
    }
    database.exec('commit');
  };
  for (let index = 0; index < first; index += bulk) add(index, index + bulk);
  const start = performance.now();
  for (let index = first; index < messages; index += 2) add(index, index + 2);
  return (messages - first) / 2 / ((performance.now() - start) / 1_000);
}

async function streamText(store: SessionStore, lease: Lease): Promise<readonly [number, number]> {
  await store.write(lease, [
    { type: 'message', message: { id: 'stream', role: 'assistant', parts: [] }, isOpen: true },
    { type: 'part', messageId: 'stream', part: { type: 'text', text: '' }, isOpen: true },
  ]);
  const times = await timesOf((index) =>
    store.write(lease, [
      { type: 'text', messageId: 'stream', part: 0, text: `${'some streamed words '.repeat(20)}${index}` },
      { type: 'event', event: { type: 'llm:chunk', data: { index }, chunkOf: 'stream' } },
    ]),
  );
  await store.write(lease, [{ type: 'finish-message', messageId: 'stream' }]);
  return spread(times);
}

async function compact(store: SessionStore, lease: Lease, messages: number): Promise<void> {
  const { state = emptyState() } = await store.history.context(sessionId);
  const change = {
    type: 'range-dropped',
    reason: 'space',
    beforeTokens: 1,
    afterTokens: 1,
    recallId: 'm0',
    text: 'dropped',
    injection: 'pair',
    anchor: { first: 0, end: messages - tail, fingerprint: 'bench', lead: [0], kept: [] },
    record: { round: 1 },
  } as unknown as Change;
  const checkpoint: Checkpoint = {
    id: 'c1',
    parent: null,
    reason: 'manual',
    strategy: 'bench',
    changes: [change],
    retired: [],
    truncation: state.truncation,
    historyEnd: messages,
    tokensBefore: 2,
    tokensAfter: 1,
  };
  const next = { ...state, changes: [change], head: 'c1', checkpointCount: 1 };
  await store.write(lease, [{ type: 'checkpoint', checkpoint, state: next }]);
}

/** A call and its result, about 2 000 characters, of words that come again and names that do not. */
function stepMessages(index: number): readonly SessionMessage[] {
  let seed = (index + 1) * 2_654_435_761;
  const word = (): string => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return words[seed % words.length] ?? '';
  };
  const line = (number: number): string =>
    `src/part-${index}/file-${number}.ts: ${Array.from({ length: 12 }, word).join(' ')}`;
  const text = `${Array.from({ length: 18 }, (_, number) => line(number)).join('\n')}\nid_${index.toString(36)} 東京`;
  const callId = `call-${index}`;
  const input = { pattern: line(0) };
  return [
    {
      id: `a${index}`,
      role: 'assistant',
      parts: [
        { type: 'text', text: `I look for it in part ${index}. ${line(1)}` },
        { type: 'call', callId, name: 'grep', input },
      ],
    },
    {
      id: `t${index}`,
      role: 'tool',
      parts: [{ type: 'result', callId, name: 'grep', content: [{ type: 'text', text }] }],
    },
  ];
}

/** In turn: in one message, in none, in all of them. */
function queryFor(index: number, messages: number): string {
  const which = ((index * 7919) % messages) & ~1;
  return [`src/part-${which}/file-3`, `no-such-name-${which}`, 'login module'][index % 3] ?? '';
}

async function timesOf(act: (index: number) => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < lookups; index += 1) times.push(await timed(() => act(index)));
  return times;
}

function spread(times: readonly number[]): readonly [number, number] {
  return [median(times), quantile(times, 0.95)];
}

function print(): string {
  const pair = ([middle, high]: readonly [number, number]): string =>
    `${formatNumber(middle)} / ${formatNumber(high)}`;
  const rows: readonly (readonly [string, (figures: Figures) => string])[] = [
    ['steps/s (2 messages, state, event)', (one) => formatNumber(one.stepsPerSecond, 0)],
    ['floor: bare table, steps/s', (one) => formatNumber(one.floorStepsPerSecond, 0)],
    ['floor ÷ ours', (one) => formatNumber(one.floorStepsPerSecond / one.stepsPerSecond, 1)],
    ['a batch of streamed text, ms', (one) => pair(one.textBatchMs)],
    ['open, ms', (one) => formatNumber(one.openMs)],
    [`load context (${tail} messages shown), ms`, (one) => formatNumber(one.contextMs)],
    ['load context, nothing compacted, ms', (one) => formatNumber(one.wholeContextMs, 0)],
    ['first page of 50, ms', (one) => formatNumber(one.firstPageMs)],
    ['any page of 50, ms', (one) => formatNumber(one.deepPageMs)],
    ['search, ms', (one) => pair(one.searchMs)],
    ['search for 1–2 characters, ms', (one) => pair(one.shortSearchMs)],
    ['recall by id, ms', (one) => pair(one.recallMs)],
    ['heap, MB', (one) => formatNumber(one.heapMB, 1)],
    ['file, MB', (one) => formatNumber(one.fileMB, 1)],
    ['file ÷ bare table', (one) => formatNumber(one.fileMB / one.floorFileMB, 1)],
  ];
  return [
    'One session in one file; medians, and median / p95 where there are two.',
    formatTable(
      ['messages', ...all.map(({ messages }) => String(messages))],
      rows.map(([name, cell]) => [name, ...all.map(cell)]),
    ),
  ].join('\n');
}
