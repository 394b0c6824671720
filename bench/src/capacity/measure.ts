import { codingStep, startWorker } from '../machines/processes.ts';
import type { BenchPostgres, Work } from '../machines/processes.ts';

/** Of each step, where nothing else is said. */
export interface Measured {
  readonly bytes: number;
  readonly byTable: Readonly<Record<string, number>>;
  /** Of the log that Postgres writes ahead: what a replica and an archive are sent. */
  readonly logBytes: number;
  readonly events: number;
  /** Stored by one process in a second, as it worked here. */
  readonly eventsPerSecond: number;
  /** Of one process. */
  readonly connections: number;
  readonly nodeMs: number;
  readonly postgresMs: number;
}

interface Workload {
  /** Of a worker process. */
  readonly kind: string;
  readonly stepsPerRun: number;
  readonly warmUp: Work;
  readonly work: Work;
}

/** A run is one step, which says a word. */
export const shortRuns = (runs: number): Workload => ({
  kind: 'postgres',
  stepsPerRun: 1,
  warmUp: { runs: 100, atOnce: 4 },
  work: { runs, atOnce: 4 },
});

/** Models speak slowly: many at once, so that a process has something to do. */
export const codingRuns = (runs: number): Workload => ({
  kind: 'postgres-coding',
  stepsPerRun: codingStep.stepsPerRun,
  warmUp: { runs: 10, atOnce: 10 },
  work: { runs, atOnce: 20 },
});

/** What a process does, and what that takes of it and of Postgres. */
export async function measureSteps(postgres: BenchPostgres, workload: Workload): Promise<Measured> {
  const worker = await startWorker(workload.kind, postgres.url);
  await worker.work(workload.warmUp);
  const before = await stateOf(postgres);
  const worked = await worker.work(workload.work);
  const after = await stateOf(postgres);
  const connections = await numberOf(
    postgres,
    `select count(*) from pg_stat_activity where application_name like 'throughline%'`,
  );
  await worker.end();
  const steps = workload.work.runs * workload.stepsPerRun;
  const grown = Object.entries(after.sizes)
    .map(([name, bytes]): readonly [string, number] => [name, (bytes - (before.sizes[name] ?? 0)) / steps])
    .filter(([, bytes]) => bytes > 0)
    .toSorted(([, left], [, right]) => right - left);
  return {
    bytes: grown.reduce((sum, [, bytes]) => sum + bytes, 0),
    byTable: Object.fromEntries(grown),
    logBytes: (after.logBytes - before.logBytes) / steps,
    events: (after.events - before.events) / steps,
    eventsPerSecond: ((after.events - before.events) * 1_000) / worked.ms,
    connections,
    nodeMs: (1_000 * worked.cpuSeconds) / steps,
    postgresMs: (1_000 * (after.cpuSeconds - before.cpuSeconds)) / steps,
  };
}

interface State {
  readonly sizes: Readonly<Record<string, number>>;
  readonly logBytes: number;
  readonly events: number;
  readonly cpuSeconds: number;
}

async function stateOf(postgres: BenchPostgres): Promise<State> {
  return {
    sizes: await sizesOf(postgres),
    logBytes: await numberOf(postgres, `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')`),
    events: await numberOf(postgres, 'select count(*) from throughline.events'),
    cpuSeconds: postgres.cpuSeconds(),
  };
}

async function sizesOf(postgres: BenchPostgres): Promise<State['sizes']> {
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
