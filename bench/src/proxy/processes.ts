import { fork } from 'node:child_process';
import { join } from 'node:path';

interface Memory {
  readonly heapMB: number;
  readonly residentMB: number;
}

/** A process of its own that listens. */
export interface Apart extends AsyncDisposable {
  readonly url: string;
  memory(): Promise<Memory>;
  /** Time of the processor that it has taken so far, in all its threads. */
  cpuMs(): Promise<number>;
  /** Upstream only: milliseconds since 1970 at which the last connection that was cut was seen to be. */
  lastCutMs(): Promise<number>;
}

interface Reply {
  readonly id: number;
  readonly result: unknown;
}

/** Starts `upstream-process.ts` or `contender-process.ts`. */
export async function startApart(file: string, args: readonly string[]): Promise<Apart> {
  const child = fork(join(import.meta.dirname, file), args, {
    execArgv: [...process.execArgv, '--expose-gc'],
  });
  const waiting = new Map<number, (result: unknown) => void>();
  let last = 0;
  const ready = Promise.withResolvers<string>();
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.once('exit', (code) => ready.reject(new Error(`${file} ended with ${code} before it was ready.`)));
  child.on('message', ({ id, result }: Reply) => {
    if (id === 0) ready.resolve(result as string);
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  const tell = (name: string): Promise<unknown> =>
    new Promise((resolve) => {
      const id = (last += 1);
      waiting.set(id, resolve);
      child.send({ id, name });
    });
  const url = await ready.promise;
  return {
    url,
    memory: async () => (await tell('memory')) as Memory,
    cpuMs: async () => (await tell('cpuMs')) as number,
    lastCutMs: async () => (await tell('lastCutMs')) as number,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
    },
  };
}

interface Told {
  readonly id: number;
  readonly name: string;
}

/** The other end: answers what the parent asks. */
export function answerParent(url: string, duties: Readonly<Record<string, () => unknown>> = {}): void {
  const all: Readonly<Record<string, () => unknown>> = { memory, cpuMs, ...duties };
  process.on('SIGINT', () => process.exit());
  process.on('message', ({ id, name }: Told) => {
    process.send?.({ id, result: all[name]?.() });
  });
  process.send?.({ id: 0, result: url });
}

function memory(): Memory {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heapMB: heapUsed / 1e6, residentMB: rss / 1e6 };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}
