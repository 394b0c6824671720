import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { foundPrograms } from '../postgres/postgres-programs.ts';
import { freePort } from './own-postgres.ts';
import { memoryFolder } from '../memory-folder.ts';

/** A pgbouncer that gives a connection to the server to somebody else after each transaction. */
export interface OwnPooler extends AsyncDisposable {
  readonly port: number;
}

export interface OwnPoolerOptions {
  /** The port of a Postgres on this machine that wants no password. */
  readonly port: number;
  /** To the server, for each database. @default 4 */
  readonly connections?: number;
  /** As in its configuration. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

const answerMs = 10_000;

/** @returns a sentence where there is no pgbouncer */
export async function startOwnPooler(options: OwnPoolerOptions): Promise<OwnPooler | string> {
  const programs = foundPrograms();
  const program = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, 'pgbouncer'))
    .find((file) => existsSync(file));
  if (typeof programs === 'string') return programs;
  if (program === undefined) return 'There is no pgbouncer on this machine.';
  const { user } = programs;
  const folder = mkdtempSync(join(memoryFolder(), 'throughline-own-pooler-'));
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, configuration({ ...options, own: port }));
  if (user) chownSync(folder, user.uid, user.gid);
  const child = spawn(program, ['-q', file], { cwd: folder, stdio: 'ignore', ...user });
  const ended = once(child, 'exit');
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const latest = Date.now() + answerMs;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > latest) {
      await end();
      return 'The pgbouncer of this machine does not start.';
    }
    await sleep(20);
  }
  return { port, [Symbol.asyncDispose]: end };
}

function configuration({
  port,
  own,
  connections = 4,
  settings = {},
}: OwnPoolerOptions & { readonly own: number }): string {
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: own,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: connections,
    max_client_conn: 500,
    ...settings,
  };
  return [
    '[databases]',
    `* = host=127.0.0.1 port=${port} user=postgres`,
    '[pgbouncer]',
    ...Object.entries(all).map(([name, value]) => `${name} = ${value}`),
    '',
  ].join('\n');
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
