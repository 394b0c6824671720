/**
 * What a session takes of Postgres, measured, and what follows for more of them, simulated: how many steps a second one
 * database and one node carry before requests wait, and how many of each a number of sessions needs.
 *
 *   npm run bench:capacity -- [--runs 400] [--postgres-cores 16] [--node-cores 2] [--steps-per-hour 4] [--json]
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { formatNumber, formatTable } from './table.ts';
import { mostPerSecond } from './capacity/simulate.ts';
import { startPostgres, startWorker } from './machines/processes.ts';
import { writeReport } from './report-file.ts';
import type { BenchPostgres } from './machines/processes.ts';
import type { Cell } from './table.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '400' },
    'postgres-cores': { type: 'string', default: '16' },
    'node-cores': { type: 'string', default: '2' },
    'steps-per-hour': { type: 'string', default: '4' },
    json: { type: 'boolean', default: false },
  },
});
const runs = Number(values.runs);
const longestP95Ms = 20;

interface Sizes {
  readonly [table: string]: number;
}

async function sizesOf(postgres: BenchPostgres): Promise<Sizes> {
  const rows = await postgres.ask(
    `select relname as name, pg_total_relation_size(oid) as bytes from pg_class
     where relkind = 'r' and relnamespace = 'throughline'::regnamespace`,
  );
  return Object.fromEntries(rows.map(({ name, bytes }) => [name ?? '', Number(bytes)]));
}

async function numberOf(postgres: BenchPostgres, statement: string): Promise<number> {
  const [row] = await postgres.ask(statement);
  return Number(Object.values(row ?? {})[0]);
}

const postgres = await startPostgres();
if (typeof postgres === 'string') {
  process.stderr.write(`${postgres}\n`);
  process.exit(1);
}
const loadBefore = loadavg();
const worker = await startWorker('postgres', postgres.url);
await worker.work({ runs: 100, atOnce: 4 });
const before = {
  sizes: await sizesOf(postgres),
  wal: await numberOf(postgres, `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')`),
  events: await numberOf(postgres, 'select count(*) from throughline.events'),
  cpu: postgres.cpuSeconds(),
};
const worked = await worker.work({ runs, atOnce: 4 });
const after = {
  sizes: await sizesOf(postgres),
  wal: await numberOf(postgres, `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')`),
  events: await numberOf(postgres, 'select count(*) from throughline.events'),
  cpu: postgres.cpuSeconds(),
};
const connections = await numberOf(
  postgres,
  `select count(*) from pg_stat_activity where application_name = 'throughline'`,
);
await worker.end();
await postgres[Symbol.asyncDispose]();

const grown = Object.entries(after.sizes)
  .map(([name, bytes]): readonly [string, number] => [name, (bytes - (before.sizes[name] ?? 0)) / runs])
  .filter(([, bytes]) => bytes > 0)
  .toSorted(([, left], [, right]) => right - left);
const measured = {
  bytesPerSession: grown.reduce((sum, [, bytes]) => sum + bytes, 0),
  byTable: Object.fromEntries(grown),
  logBytesPerStep: (after.wal - before.wal) / runs,
  eventsPerStep: (after.events - before.events) / runs,
  eventsPerSecond: ((after.events - before.events) * 1_000) / worked.ms,
  connections,
  nodeMs: (1_000 * worked.cpuSeconds) / runs,
  postgresMs: (1_000 * (after.cpu - before.cpu)) / runs,
};

/** The same numbers for each station: what differs is the station. */
function drawing(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const postgresCores = Number(values['postgres-cores']);
const nodeCores = Number(values['node-cores']);
const carried = {
  // Node runs our code on one thread: more cores of a machine carry more processes, not a faster one.
  perProcess: mostPerSecond({ cores: 1, serviceMs: measured.nodeMs }, longestP95Ms, drawing),
  perDatabase: mostPerSecond({ cores: postgresCores, serviceMs: measured.postgresMs }, longestP95Ms, drawing),
};
const plans = [1_000, 10_000, 100_000, 1_000_000].map((sessions) => {
  const perSecond = (sessions * Number(values['steps-per-hour'])) / 3_600;
  return {
    sessions,
    perSecond,
    processes: Math.ceil(perSecond / carried.perProcess),
    machines: Math.ceil(perSecond / carried.perProcess / nodeCores),
    databases: Math.ceil(perSecond / carried.perDatabase),
    logMBPerSecond: (perSecond * measured.logBytesPerStep) / 1e6,
  };
});

const report = {
  node: process.version,
  load: { before: loadBefore, after: loadavg() },
  measured,
  carried,
  plans,
};
const path = writeReport('capacity', report);
process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : `${print()}\n\nReport: ${path}\n`);

function print(): string {
  const rows: Cell[][] = [
    ['bytes of a session of one step', formatNumber(measured.bytesPerSession, 0)],
    ...grown.slice(0, 6).map(([name, bytes]) => [`  ${name}`, formatNumber(bytes, 0)]),
    ['bytes of log of a step', formatNumber(measured.logBytesPerStep, 0)],
    ['events of a step', formatNumber(measured.eventsPerStep, 1)],
    ['events stored in a second, one process', formatNumber(measured.eventsPerSecond, 0)],
    ['connections of a process', formatNumber(measured.connections, 0)],
    ['processor of a node for a step, ms', formatNumber(measured.nodeMs)],
    ['processor of Postgres for a step, ms', formatNumber(measured.postgresMs)],
    [`steps/s of a process, p95 of waits ≤ ${longestP95Ms} ms`, formatNumber(carried.perProcess, 0)],
    [`steps/s of Postgres with ${postgresCores} cores`, formatNumber(carried.perDatabase, 0)],
  ];
  const planned = plans.map((plan): Cell[] => [
    plan.sessions,
    formatNumber(plan.perSecond, 1),
    plan.processes,
    plan.machines,
    plan.databases,
    formatNumber(plan.logMBPerSecond, 2),
  ]);
  const headings = ['sessions', 'steps/s', 'processes', `machines of ${nodeCores}`, 'databases', 'log, MB/s'];
  const load = `Load before ${formatNumber(loadBefore[0] ?? NaN, 1)}, after ${formatNumber(report.load.after[0] ?? NaN, 1)}.`;
  return `${formatTable(['measured', ''], rows)}\n\n${formatTable(headings, planned)}\n${load}`;
}
