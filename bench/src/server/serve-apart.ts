import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Duties, ServedOptions } from './duties.ts';

type Told<Name extends keyof Duties> = Parameters<Duties[Name]>[0];
type Result<Name extends keyof Duties> = Awaited<ReturnType<Duties[Name]>>;

/** A process of its own that serves. */
export interface Served extends AsyncDisposable {
  readonly url: string;
  /** Where the route without persistence is. */
  readonly bareUrl: string;
  tell<Name extends keyof Duties>(name: Name, request?: Told<Name>): Promise<Result<Name>>;
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
}

export async function serveApart(options: ServedOptions): Promise<Served> {
  const child = fork(join(import.meta.dirname, 'served-process.ts'), [JSON.stringify(options)], {
    execArgv: process.execArgv,
  });
  const waiting = new Map<number, (result: unknown) => void>();
  let last = 0;
  const ready = Promise.withResolvers<void>();
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.once('exit', (code) => ready.reject(new Error(`The server ended with ${code} before it was ready.`)));
  child.on('message', ({ id, result }: Reply) => {
    if (id === 0) ready.resolve();
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  const tell: Served['tell'] = (name, request) =>
    new Promise((resolve) => {
      const id = (last += 1);
      waiting.set(id, resolve as (result: unknown) => void);
      child.send({ id, name, request });
    });
  await ready.promise;
  const { server, bare } = await tell('addresses');
  return {
    url: server,
    bareUrl: bare,
    tell,
    [Symbol.asyncDispose]: async () => {
      await tell('stop');
      await ended;
    },
  };
}
