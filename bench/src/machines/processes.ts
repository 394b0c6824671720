import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const postgresProgram = join(root, 'packages/server/test/machines/postgres-apart.ts');
const workerProgram = join(import.meta.dirname, 'worker-process.ts');

export interface BenchPostgres extends AsyncDisposable {
  readonly url: string;
  /** Seconds of the processor that all its processes have taken; those that have ended count. */
  readonly cpuSeconds: () => number;
  /** Rows of a statement; all values are texts. */
  ask(statement: string): Promise<readonly Readonly<Record<string, string | null>>[]>;
}

/** @returns a sentence where there is no Postgres to be had */
export async function startPostgres(): Promise<BenchPostgres | string> {
  const settings = { max_connections: '100', fsync: 'on', autovacuum: 'on', shared_buffers: '128MB' };
  const child = start(postgresProgram, [JSON.stringify(settings)]);
  const { url, pid, missing } = await child.next<{ url: string; pid: number; missing?: string }>();
  if (missing !== undefined) return missing;
  return {
    url,
    cpuSeconds: () => cpuOf(pid),
    ask: async (statement) => {
      child.tell(statement);
      return await child.next();
    },
    async [Symbol.asyncDispose]() {
      await child.end();
    },
  };
}

/** A step of the kind `postgres-coding`. */
export const codingStep = { stepsPerRun: 10, pieces: 40, speakingMs: 2_000, resultCharacters: 3_000 };

/** What a worker is told, and what it says then. */
export interface Work {
  readonly runs: number;
  /** So many at the same time. */
  readonly atOnce: number;
}

export interface Worked {
  readonly ms: number;
  readonly cpuSeconds: number;
}

export interface Worker {
  work(work: Work): Promise<Worked>;
  end(): Promise<void>;
}

/** @param kind what does the work: our agent over a database or a file, or one of the peers */
export async function startWorker(kind: string, place: string): Promise<Worker> {
  const child = start(workerProgram, [kind, place]);
  await child.next();
  return {
    work: async (work) => {
      child.tell(work);
      return await child.next<Worked>();
    },
    end: () => child.end(),
  };
}

/** A process that is told values as lines of JSON, and says some. */
export function start(program: string, args: readonly string[]) {
  const flags = ['--conditions=throughline-source', '--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...flags, program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let out = '';
  let told = (): void => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    told();
  });
  return {
    tell: (value: unknown) => void child.stdin.write(`${JSON.stringify(value)}\n`),
    next: async <Value = unknown>(): Promise<Value> => {
      while (!out.includes('\n')) {
        if (child.exitCode !== null) throw new Error(`${program} has ended.`);
        await Promise.race([new Promise<void>((resolve) => (told = resolve)), ended]);
      }
      const end = out.indexOf('\n');
      const line = out.slice(0, end);
      out = out.slice(end + 1);
      return JSON.parse(line) as Value;
    },
    end: async () => {
      child.stdin.end();
      await ended;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

const ticksPerSecond = 100;

/** Of a process and its children, by the system's own account (Linux); NaN elsewhere. */
function cpuOf(pid: number): number {
  try {
    const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return all.reduce((sum, name) => sum + ticksOf(name, pid), 0) / ticksPerSecond;
  } catch {
    return NaN;
  }
}

function ticksOf(name: string, root: number): number {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const parent = Number(fields[1]);
    if (Number(name) !== root && parent !== root) return 0;
    // The root also has what its children took that have ended.
    const own = Number(fields[11]) + Number(fields[12]);
    return Number(name) === root ? own + Number(fields[13]) + Number(fields[14]) : own;
  } catch {
    return 0;
  }
}
