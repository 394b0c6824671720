import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryFolder } from '../memory-folder.ts';
import { foundPrograms } from './postgres-programs.ts';
import type { AddressInfo } from 'node:net';
import type { PostgresPrograms } from './postgres-programs.ts';

/** A server for tests: its first user may do everything, and comes in without a password. */
export interface TestPostgres {
  readonly host: string;
  readonly port: number;
  /** Address of the database `postgres`. */
  readonly url: string;
}

/** The one user who is asked for a password; a test makes it. */
export const askedForPassword = 'asked';

const startMs = 60_000;

/**
 * The server of this test run: the first who asks starts it, and it ends with the process, however that ends.
 *
 * @returns a sentence where there is no Postgres that may be started here
 */
export async function testPostgres(): Promise<TestPostgres | string> {
  const given = process.env['THROUGHLINE_TEST_POSTGRES_URL'];
  if (given !== undefined) return atUrl(given);
  const programs = foundPrograms();
  if (typeof programs === 'string') return programs;
  const folder = join(memoryFolder(), `throughline-postgres-${process.pid}`);
  if (isOurs(folder)) await start(folder, programs);
  const port = await portOf(folder);
  return atUrl(`postgres://postgres@127.0.0.1:${port}/postgres`);
}

function atUrl(url: string): TestPostgres {
  const { hostname, port } = new URL(url);
  return { url, host: hostname, port: Number(port || '5432') };
}

/** Whether nobody else in this process, in another thread, starts it. */
function isOurs(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch {
    return false;
  }
}

async function start(folder: string, { initdb, postgres, user }: PostgresPrograms): Promise<void> {
  const data = join(folder, 'data');
  try {
    if (user) chownSync(folder, user.uid, user.gid);
    const flags = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
    execFileSync(initdb, ['-D', data, ...flags], { stdio: 'pipe', cwd: folder, ...user });
    const hosts = [
      `host all ${askedForPassword} 127.0.0.1/32 scram-sha-256`,
      'host all all 127.0.0.1/32 trust',
    ];
    writeFileSync(join(data, 'pg_hba.conf'), `${hosts.join('\n')}\n`);
    const port = await freePort();
    runUntilWeEnd({ postgres, folder, data, port, user });
    writeFileSync(join(folder, 'port'), String(port));
  } catch (error) {
    const { stderr = '' } = error as { readonly stderr?: unknown };
    writeFileSync(join(folder, 'failed'), `${String(error)} ${String(stderr)}`);
  }
}

interface Run extends Pick<PostgresPrograms, 'postgres' | 'user'> {
  readonly folder: string;
  readonly data: string;
  readonly port: number;
}

/** A shell of its own looks whether this process lives: it ends the server also where nobody could tell it. */
function runUntilWeEnd({ postgres, folder, data, port, user }: Run): void {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    fsync: 'off',
    full_page_writes: 'off',
    autovacuum: 'off',
    shared_buffers: '32MB',
    max_connections: 60,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const script = `
    "$@" > "$0/log" 2>&1 &
    server=$!
    while ps -p ${process.pid} > /dev/null && kill -0 $server; do sleep 1; done
    kill -INT $server; wait $server; rm -rf "$0"`;
  const args = ['-c', script, folder, postgres, '-D', data, ...flags];
  spawn('sh', args, { detached: true, stdio: 'ignore', cwd: '/', ...user }).unref();
}

async function portOf(folder: string): Promise<number> {
  const end = Date.now() + startMs;
  for (;;) {
    if (existsSync(join(folder, 'failed'))) throw new Error(readFileSync(join(folder, 'failed'), 'utf8'));
    if (isReady(folder)) return Number(readFileSync(join(folder, 'port'), 'utf8'));
    if (Date.now() > end) throw new Error(`Postgres did not start: see ${join(folder, 'log')}.`);
    await sleep(20);
  }
}

/** What the server itself says, on the last line of its note. */
function isReady(folder: string): boolean {
  const note = join(folder, 'data', 'postmaster.pid');
  if (!existsSync(join(folder, 'port')) || !existsSync(note)) return false;
  return readFileSync(note, 'utf8').split('\n')[7]?.startsWith('ready') === true;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  return port;
}
