/**
 * What several processes on one Postgres cost and carry: a step beside SQLite's, one-step runs over one to three
 * processes with the share of the processor that Postgres takes, and the same number of jobs in queues on Postgres; and
 * how soon one process goes on with what another has left, and learns of what it does.
 * Nothing but the store costs anything: the model answers at once. Postgres is one of its own, which waits for the disk.
 *
 *   npm run bench:machines -- [--runs 500] [--rounds 3] [--no-peers] [--no-lanes] [--json]
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { formatNumber, formatTable } from './table.ts';
import { installPeers } from './peers/install-peers.ts';
import { measureBetween } from './machines/between-nodes.ts';
import { median } from './engine/measure.ts';
import { startPostgres, startWorker } from './machines/processes.ts';
import { temporaryFolder } from './agent/bench-agent.ts';
import { writeReport } from './report-file.ts';
import type { BenchPostgres, Worker } from './machines/processes.ts';
import type { Cell } from './table.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '3' },
    'no-peers': { type: 'boolean', default: false },
    'no-lanes': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const runs = Number(values.runs);
const rounds = Number(values.rounds);

interface Round {
  readonly ms: number;
  /** Of the processes that did the work. */
  readonly nodeCpuSeconds: number;
  readonly postgresCpuSeconds: number;
}

interface Lane {
  readonly name: string;
  readonly kind: string;
  readonly processes: number;
  readonly runs: number;
  readonly atOnce: number;
}

const ours = (name: string, kind: string, processes: number, atOnce: number, count: number): Lane => ({
  name,
  kind,
  processes,
  runs: count,
  atOnce,
});

const lanes: readonly Lane[] = [
  ours('SQLite, one after the other', 'sqlite', 1, 1, runs / 2),
  ours('Postgres, one after the other', 'postgres', 1, 1, runs / 2),
  ours('Postgres, 1 process', 'postgres', 1, 8, runs),
  ours('Postgres, 2 processes', 'postgres', 2, 8, runs),
  ours('Postgres, 3 processes', 'postgres', 3, 8, runs),
  ...(values['no-peers']
    ? []
    : [
        ours('pg-boss, 2 processes', 'pg-boss', 2, 8, runs),
        ours('graphile-worker, 2 processes', 'graphile-worker', 2, 8, runs),
      ]),
];

async function measure(lane: Lane, workers: readonly Worker[], postgres: BenchPostgres): Promise<Round> {
  const cpuBefore = postgres.cpuSeconds();
  const before = performance.now();
  const each = Math.round(lane.runs / lane.processes);
  const worked = await Promise.all(workers.map((worker) => worker.work({ runs: each, atOnce: lane.atOnce })));
  return {
    ms: performance.now() - before,
    nodeCpuSeconds: worked.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    postgresCpuSeconds: postgres.cpuSeconds() - cpuBefore,
  };
}

async function measureLane(lane: Lane, postgres: BenchPostgres): Promise<readonly Round[]> {
  using folder = temporaryFolder();
  const place = lane.kind === 'sqlite' ? folder.path : postgres.url;
  const workers = await Promise.all(
    Array.from({ length: lane.processes }, () => startWorker(lane.kind, place)),
  );
  const measured: Round[] = [];
  // The first fills what is cached and compiled.
  for (let round = -1; round < rounds; round += 1) {
    const one = await measure(lane, workers, postgres);
    if (round >= 0) measured.push(one);
  }
  await Promise.all(workers.map((worker) => worker.end()));
  return measured;
}

const missing = values['no-peers'] ? undefined : installPeers();
if (missing !== undefined) process.stderr.write(`${missing}\n`);
const postgres = await startPostgres();
if (typeof postgres === 'string') {
  process.stderr.write(`${postgres}\n`);
  process.exit(1);
}
const loadBefore = loadavg();
const figures: (Lane & { readonly rounds: readonly Round[] })[] = [];
for (const lane of values['no-lanes'] ? [] : lanes) {
  if (missing !== undefined && !['postgres', 'sqlite'].includes(lane.kind)) continue;
  if (process.stderr.isTTY) process.stderr.write(`  ${lane.name}\n`);
  figures.push({ ...lane, rounds: await measureLane(lane, postgres) });
}
const between = await measureBetween(postgres.url);
await postgres[Symbol.asyncDispose]();
const report = { node: process.version, load: { before: loadBefore, after: loadavg() }, figures, between };
const path = writeReport('machines', report);
process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : `${print()}\n\nReport: ${path}\n`);

function print(): string {
  const rows = figures.map(({ name, runs: count, rounds: all }): Cell[] => {
    const of = (pick: (round: Round) => number): number => median(all.map(pick));
    return [
      name,
      count,
      formatNumber(
        of(({ ms }) => ms),
        0,
      ),
      formatNumber(
        of(({ ms }) => ms / count),
        2,
      ),
      formatNumber(
        of(({ nodeCpuSeconds }) => (1_000 * nodeCpuSeconds) / count),
        2,
      ),
      formatNumber(
        of(({ postgresCpuSeconds }) => (1_000 * postgresCpuSeconds) / count),
        2,
      ),
      formatNumber(
        of(
          ({ nodeCpuSeconds, postgresCpuSeconds }) =>
            postgresCpuSeconds / (nodeCpuSeconds + postgresCpuSeconds),
        ),
        2,
      ),
    ];
  });
  const load = (one: readonly number[]): string => formatNumber(one[0] ?? NaN, 1);
  const headings = ['', 'runs', 'ms', 'ms each', 'cpu of nodes, ms each', 'cpu of Postgres', 'its share'];
  const times = between.map(({ name, ms }): Cell[] => [
    name,
    ms.length,
    ...[0.5, 0.95, 1].map((share) => formatNumber(percentile(ms, share), 0)),
  ]);
  const waits = formatTable(['', 'times', 'p50 ms', 'p95 ms', 'most'], times);
  return `${formatTable(headings, rows)}\n\n${waits}\nLoad before ${load(loadBefore)}, after ${load(report.load.after)}.`;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}
