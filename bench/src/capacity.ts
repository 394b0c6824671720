/**
 * What a step takes of a process and of Postgres, measured, and what follows for more of them, simulated: how many steps
 * a second one process and one database carry before they wait, and how many of each a number of sessions needs. Two
 * kinds of steps: one that says a word, and one as coding agents do it (two seconds of text, a call, 3 000 characters of
 * result, ten in a session).
 *
 *   npm run bench:capacity -- [--runs 400] [--coding-runs 60] [--postgres-cores 16] [--node-cores 2]
 *     [--steps-per-hour 4] [--json]
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { codingRuns, measureSteps, shortRuns } from './capacity/measure.ts';
import { formatNumber, formatTable } from './table.ts';
import { mostStepsPerSecond } from './capacity/simulate.ts';
import { startPostgres } from './machines/processes.ts';
import { writeReport } from './report-file.ts';
import type { Cell } from './table.ts';
import type { Measured } from './capacity/measure.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '400' },
    'coding-runs': { type: 'string', default: '60' },
    'postgres-cores': { type: 'string', default: '16' },
    'node-cores': { type: 'string', default: '2' },
    'steps-per-hour': { type: 'string', default: '4' },
    json: { type: 'boolean', default: false },
  },
});
const longestP95Ms = 20;
const postgresCores = Number(values['postgres-cores']);
const nodeCores = Number(values['node-cores']);

const postgres = await startPostgres();
if (typeof postgres === 'string') {
  process.stderr.write(`${postgres}\n`);
  process.exit(1);
}
const loadBefore = loadavg();
const measured = {
  short: await measureSteps(postgres, shortRuns(Number(values.runs))),
  coding: await measureSteps(postgres, codingRuns(Number(values['coding-runs']))),
};
await postgres[Symbol.asyncDispose]();

interface Carried {
  readonly perProcess: number;
  readonly perDatabase: number;
}

function carriedBy({ nodeMs, postgresMs, events }: Measured): Carried {
  // Node runs our code on one thread: more cores of a machine carry more processes, not a faster one.
  return {
    perProcess: mostStepsPerSecond({ cores: 1, stepMs: nodeMs, parts: events }, longestP95Ms, drawing),
    perDatabase: mostStepsPerSecond(
      { cores: postgresCores, stepMs: postgresMs, parts: events },
      longestP95Ms,
      drawing,
    ),
  };
}

/** The same numbers for each station: what differs is the station. */
function drawing(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const carried = { short: carriedBy(measured.short), coding: carriedBy(measured.coding) };
const plans = [1_000, 10_000, 100_000, 1_000_000].map((sessions) => {
  const perSecond = (sessions * Number(values['steps-per-hour'])) / 3_600;
  return {
    sessions,
    perSecond,
    processes: Math.ceil(perSecond / carried.coding.perProcess),
    machines: Math.ceil(perSecond / carried.coding.perProcess / nodeCores),
    databases: Math.ceil(perSecond / carried.coding.perDatabase),
    logMBPerSecond: (perSecond * measured.coding.logBytes) / 1e6,
    grownGBPerDay: (perSecond * 86_400 * measured.coding.bytes) / 1e9,
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
  const of = (heading: string, pick: (one: Measured) => number, digits = 0): Cell[] => [
    heading,
    formatNumber(pick(measured.short), digits),
    formatNumber(pick(measured.coding), digits),
  ];
  const tables = Object.keys(measured.coding.byTable).slice(0, 5);
  const rows: Cell[][] = [
    of('bytes', ({ bytes }) => bytes),
    ...tables.map((table) => of(`  ${table}`, ({ byTable }) => byTable[table] ?? 0)),
    of('bytes of log', ({ logBytes }) => logBytes),
    of('events', ({ events }) => events, 1),
    of('events stored in a second', ({ eventsPerSecond }) => eventsPerSecond),
    of('connections of a process', ({ connections }) => connections),
    of('processor of a node, ms', ({ nodeMs }) => nodeMs, 2),
    of('processor of Postgres, ms', ({ postgresMs }) => postgresMs, 2),
    [
      `steps/s of a process, p95 of waits ≤ ${longestP95Ms} ms`,
      formatNumber(carried.short.perProcess, 0),
      formatNumber(carried.coding.perProcess, 0),
    ],
    [
      `steps/s of Postgres with ${postgresCores} cores`,
      formatNumber(carried.short.perDatabase, 0),
      formatNumber(carried.coding.perDatabase, 0),
    ],
  ];
  const planned = plans.map((plan): Cell[] => [
    plan.sessions,
    formatNumber(plan.perSecond, 1),
    plan.processes,
    plan.machines,
    plan.databases,
    formatNumber(plan.logMBPerSecond, 2),
    formatNumber(plan.grownGBPerDay, 1),
  ]);
  const headings = [
    'sessions',
    'coding steps/s',
    'processes',
    `machines of ${nodeCores}`,
    'databases',
    'log, MB/s',
    'grows, GB a day',
  ];
  const load = `Load before ${formatNumber(loadBefore[0] ?? NaN, 1)}, after ${formatNumber(report.load.after[0] ?? NaN, 1)}.`;
  return `${formatTable(['of a step', 'short', 'coding'], rows)}\n\n${formatTable(headings, planned)}\n${load}`;
}
