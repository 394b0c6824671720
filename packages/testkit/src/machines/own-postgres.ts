import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryFolder } from '../memory-folder.ts';
import { foundPrograms } from '../postgres/postgres-programs.ts';
import type { AddressInfo } from 'node:net';
import type { ChildProcess } from 'node:child_process';
import type { PostgresPrograms } from '../postgres/postgres-programs.ts';

type Settings = Readonly<Record<string, string | number>>;

/** A Postgres server of one test, which may stop and start it. */
export interface OwnPostgres extends AsyncDisposable {
  readonly port: number;
  /** Address of the database `postgres`. */
  readonly url: string;
  /** The process that the others of the server belong to. */
  readonly pid: () => number;
  /** What the server has logged. */
  readonly log: () => string;
  /** `immediate` is a crash: nothing is brought to an end, and the next start recovers from the log. */
  stop(how: 'fast' | 'immediate'): Promise<void>;
  /** Resolves when it takes connections. */
  start(): Promise<void>;
}

const startMs = 60_000;
const stopSignals = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

const usualSettings: Settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '64MB',
  autovacuum: 'off',
  // The disk of a test machine is not what is tried; a crash of the server alone loses nothing by it.
  fsync: 'off',
};

/** @returns a sentence where there is no Postgres that may be started here */
export async function startOwnPostgres(settings: Settings = {}): Promise<OwnPostgres | string> {
  const programs = foundPrograms();
  if (typeof programs === 'string') return programs;
  const folder = mkdtempSync(join(memoryFolder(), 'throughline-own-postgres-'));
  const data = makeCluster(folder, programs);
  const port = await freePort();
  const server = new Server({ ...programs, folder, data, settings: { ...usualSettings, ...settings, port } });
  await server.start();
  return {
    port,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    pid: () => server.pid(),
    log: () => readFileSync(join(folder, 'log', 'postgres'), 'utf8'),
    stop: (how) => server.stop(how),
    start: () => server.start(),
    async [Symbol.asyncDispose]() {
      await server.stop('immediate');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function makeCluster(folder: string, { initdb, user }: PostgresPrograms): string {
  const data = join(folder, 'data');
  if (user) chownSync(folder, user.uid, user.gid);
  const flags = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  execFileSync(initdb, ['-D', data, ...flags], { stdio: 'pipe', cwd: folder, ...user });
  mkdirSync(join(folder, 'log'), { recursive: true });
  if (user) chownSync(join(folder, 'log'), user.uid, user.gid);
  return data;
}

interface ServerOptions extends PostgresPrograms {
  readonly folder: string;
  readonly data: string;
  readonly settings: Settings;
}

class Server {
  readonly #options: ServerOptions;
  #shell: ChildProcess | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  pid(): number {
    return Number(this.#note()[0]);
  }

  /** A shell of its own ends it where this process is gone. */
  async start(): Promise<void> {
    const { postgres, folder, data, settings, user } = this.#options;
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const script = `
      "$@" >> "$0/log/postgres" 2>&1 &
      server=$!
      while kill -0 $server 2> /dev/null; do
        if ! ps -p ${process.pid} > /dev/null; then kill -QUIT $server; wait $server; rm -rf "$0"; exit; fi
        sleep 0.2
      done`;
    const args = ['-c', script, folder, postgres, '-D', data, ...flags];
    const shell = spawn('sh', args, { detached: true, stdio: 'ignore', cwd: '/', ...user });
    shell.unref();
    this.#shell = shell;
    const end = Date.now() + startMs;
    while (this.#note()[7]?.startsWith('ready') !== true) {
      if (Date.now() > end)
        throw new Error(readFileSync(join(folder, 'log', 'postgres'), 'utf8').slice(-2_000));
      await sleep(20);
    }
  }

  async stop(how: 'fast' | 'immediate'): Promise<void> {
    const pid = this.pid();
    if (!pid) return;
    const ended = this.#shell && once(this.#shell, 'exit');
    this.#shell?.ref();
    process.kill(pid, stopSignals[how]);
    await ended;
    // A crash leaves its note behind.
    rmSync(join(this.#options.data, 'postmaster.pid'), { force: true });
  }

  /** What the server says of itself: its process on the first line, how far it is on the eighth. */
  #note(): readonly string[] {
    try {
      return readFileSync(join(this.#options.data, 'postmaster.pid'), 'utf8').split('\n');
    } catch {
      return [];
    }
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  return port;
}
