/**
 * What the proxy adds, against the same upstream direct, a bare pipe of bytes, and one that reads and writes all JSON:
 * time to the first byte, time of the processor, throughput, many streams at a time, memory, and how soon an upstream call
 * ends whose client has gone; with what it keeps in memory alone, and in a store. Upstream, contenders and load are
 * processes of their own. In one run; ratios say more than times, and on a busy machine the processor's more than the
 * clock's.
 *
 *   npm run bench:proxy -- [--only first,throughput,streams,memory,gone] [--requests 50000] [--json]
 */
import { ask, throughput } from './proxy/load.ts';
import { bodyOf, goingOn } from './proxy/bodies.ts';
import { formatNumber, formatTable } from './table.ts';
import { join } from 'node:path';
import { median, quantile } from './engine/measure.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApart } from './proxy/processes.ts';
import { tmpdir } from 'node:os';
import { writeReport } from './report-file.ts';
import type { Apart } from './proxy/processes.ts';
import type { Cell } from './table.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'first,throughput,streams,memory,gone' },
    requests: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '9' },
    json: { type: 'boolean', default: false },
  },
});
const only = new Set(values.only.split(','));
const rounds = Number(values.rounds);

const smallBytes = 1_000;
/** A history of 221 messages, as the first measurement of this field had it. */
const largeBytes = 207_000;
/** So large that nothing is to be done; so small that a history of that size was compacted. */
const wideTokens = 2_000_000;
const narrowTokens = 40_000;

interface Lane {
  readonly name: string;
  readonly apart: Apart;
  /** What the next request has. */
  readonly next: () => string;
}

await using upstream = await startApart('upstream-process.ts', []);
await using pipe = await startApart('contender-process.ts', ['pipe', upstream.url]);
await using json = await startApart('contender-process.ts', ['json', upstream.url]);
const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
const ours = (windowTokens: number, ...store: readonly string[]): Promise<Apart> =>
  startApart('contender-process.ts', ['throughline', upstream.url, String(windowTokens), ...store]);
await using wide = await ours(wideTokens);
await using narrow = await ours(narrowTokens);
await using stored = await ours(wideTokens, mkdtempSync(join(folder, 'wide-')));
await using storedNarrow = await ours(narrowTokens, mkdtempSync(join(folder, 'narrow-')));

const small = bodyOf(smallBytes);
const large = bodyOf(largeBytes);
const lane = (name: string, apart: Apart, body: string): Lane => ({ name, apart, next: () => body });
const lanes: readonly Lane[] = [
  ...(['small', 'large'] as const).flatMap((size) => {
    const body = size === 'small' ? small : large;
    return [
      lane(`${size}: direct`, upstream, body),
      lane(`${size}: pipe`, pipe, body),
      lane(`${size}: json`, json, body),
      lane(`${size}: throughline`, wide, body),
      lane(`${size}: throughline, stored`, stored, body),
    ];
  }),
  { name: 'large: throughline, going on', apart: wide, next: goingOn(large) },
  { name: 'large: throughline, going on, stored', apart: stored, next: goingOn(large) },
  lane('large: throughline, replayed', narrow, large),
  lane('large: throughline, replayed, stored', storedNarrow, large),
];

const figures = {
  node: process.version,
  first: only.has('first') ? await measureFirst() : undefined,
  throughput: only.has('throughput') ? await measureThroughput() : undefined,
  streams: only.has('streams') ? await measureStreams(500) : undefined,
  memory: only.has('memory') ? await measureMemory(Number(values.requests)) : undefined,
  gone: only.has('gone') ? await measureGone(20) : undefined,
};
rmSync(folder, { recursive: true, force: true });
const path = writeReport('proxy', figures);
process.stdout.write(values.json ? `${JSON.stringify(figures)}\n` : `${print()}\n\nReport: ${path}\n`);

interface First {
  readonly p50: number;
  readonly added: number;
  /** Of the contender's processor, for each request. */
  readonly cpuMs: number;
}

/** Medians, one request at a time, the lanes in turn. */
async function measureFirst(): Promise<Readonly<Record<string, First>>> {
  const times = new Map(lanes.map(({ name }) => [name, { first: [] as number[], cpu: [] as number[] }]));
  const atOnce = 20;
  // Code that has run a few times only is not compiled as it will be.
  for (const { apart, next } of lanes) await warmUp(apart, next);
  for (let round = -1; round < rounds; round += 1) {
    for (const { name, apart, next } of lanes) {
      const beforeMs = await apart.cpuMs();
      const first: number[] = [];
      for (let count = 0; count < atOnce; count += 1) {
        first.push((await ask(apart.url, { body: next() })).firstByteMs);
      }
      if (round < 0) continue;
      times.get(name)?.first.push(...first);
      times.get(name)?.cpu.push(((await apart.cpuMs()) - beforeMs) / atOnce);
    }
  }
  return Object.fromEntries(
    lanes.map(({ name }) => {
      const p50 = median(times.get(name)?.first ?? []);
      const direct = median(times.get(`${name.split(':')[0]}: direct`)?.first ?? []);
      return [name, { p50, added: p50 - direct, cpuMs: median(times.get(name)?.cpu ?? []) }];
    }),
  );
}

async function warmUp({ url }: Apart, next: () => string): Promise<void> {
  for (let count = 0; count < 300; count += 1) await ask(url, { body: next() });
}

/** Medians of ratios to the same upstream direct, each round side by side. */
async function measureThroughput(): Promise<
  Readonly<Record<string, { readonly perSecond: number; readonly ratio: number }>>
> {
  const perSecond = new Map(lanes.map(({ name }) => [name, [] as number[]]));
  for (let round = -1; round < Math.ceil(rounds / 3); round += 1) {
    for (const { name, apart, next } of lanes) {
      const rate = await throughput(apart.url, next, { atATime: 10, ms: round < 0 ? 500 : 1_500 });
      if (round >= 0) perSecond.get(name)?.push(rate);
    }
  }
  return Object.fromEntries(
    lanes.map(({ name }) => {
      const direct = perSecond.get(`${name.split(':')[0]}: direct`) ?? [];
      const own = perSecond.get(name) ?? [];
      const ratios = own.map((rate, index) => rate / (direct[index] ?? NaN));
      return [name, { perSecond: median(own), ratio: median(ratios) }];
    }),
  );
}

/** So many slow streams at a time: whoever gets another answer than the upstream's is an error. */
async function measureStreams(count: number): Promise<{ readonly errors: number; readonly ms: number }> {
  const beforeMs = performance.now();
  const expected = (await ask(upstream.url, { body: small })).text;
  const results = await Promise.allSettled(
    Array.from({ length: count }, (_, index) =>
      ask(wide.url, {
        body: small.replace('And now?', `And now, ${index}?`),
        headers: { 'x-wait-ms': '50' },
      }),
    ),
  );
  const good = results.filter((one) => one.status === 'fulfilled' && one.value.text === expected).length;
  return { errors: count - good, ms: performance.now() - beforeMs };
}

/** Heap and resident memory in the middle of so many requests and at their end. */
async function measureMemory(
  count: number,
): Promise<{ readonly heapGrowth: number; readonly residentGrowth: number }> {
  const half = Math.floor(count / 2);
  await askMany(half);
  const before = await wide.memory();
  await askMany(half);
  const after = await wide.memory();
  return { heapGrowth: after.heapMB - before.heapMB, residentGrowth: after.residentMB - before.residentMB };
}

async function askMany(count: number): Promise<void> {
  let left = count;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await ask(wide.url, { body: small.replace('And now?', `And now, ${left}?`) });
    }
  };
  await Promise.all(Array.from({ length: 20 }, work));
}

/** From a client that goes to the upstream that sees it. */
async function measureGone(count: number): Promise<{ readonly p50: number; readonly p95: number }> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const controller = new AbortController();
    const asked = ask(wide.url, { body: small, headers: { 'x-wait-ms': '50' }, signal: controller.signal });
    await sleep(150);
    const goneMs = Date.now();
    controller.abort();
    await asked.catch(() => undefined);
    await sleep(300);
    const cutMs = await (upstream as Apart).lastCutMs();
    times.push(cutMs >= goneMs ? cutMs - goneMs : Infinity);
  }
  return { p50: median(times), p95: quantile(times, 0.95) };
}

function print(): string {
  const { first, throughput: rates, streams, memory, gone } = figures;
  const tables: string[] = [];
  if (first || rates) {
    const rows = lanes.map(({ name }): Cell[] => [
      name,
      formatNumber(first?.[name]?.p50 ?? NaN),
      formatNumber(first?.[name]?.added ?? NaN),
      formatNumber(first?.[name]?.cpuMs ?? NaN),
      formatNumber(rates?.[name]?.perSecond ?? NaN, 0),
      formatNumber(rates?.[name]?.ratio ?? NaN),
    ]);
    tables.push(
      formatTable(['', 'first byte ms', 'added ms', 'processor ms', 'requests/s', '÷ direct'], rows),
    );
  }
  const rest: Cell[][] = [];
  if (streams) rest.push(['500 streams at a time: errors', streams.errors]);
  if (memory)
    rest.push(['heap after all requests, above half of them, MB', formatNumber(memory.heapGrowth, 1)]);
  if (memory) rest.push(['resident memory, likewise, MB', formatNumber(memory.residentGrowth, 1)]);
  if (gone) rest.push(['client gone until its upstream call has ended, p50 ms', formatNumber(gone.p50, 0)]);
  if (gone) rest.push(['the same, p95 ms', formatNumber(gone.p95, 0)]);
  if (rest.length > 0) tables.push(formatTable(['', 'figure'], rest));
  return tables.join('\n\n');
}
