import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from 'node:child_process';
import { freePort } from './own-postgres.ts';
import { memoryFolder } from '../memory-folder.ts';

/** An nginx of one test. */
export interface OwnBalancer extends AsyncDisposable {
  readonly url: string;
  /** What it has logged of errors. */
  readonly log: () => string;
}

export interface OwnBalancerOptions {
  /** What stands in `http`, with the blocks `upstream` and `server`. */
  readonly text: (port: number) => string;
}

const answerMs = 10_000;

/** @returns a sentence where there is no nginx, or it does not take the text */
export async function startOwnBalancer({ text }: OwnBalancerOptions): Promise<OwnBalancer | string> {
  const program = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, 'nginx'))
    .find((file) => existsSync(file));
  if (program === undefined) return 'There is no nginx on this machine.';
  const folder = mkdtempSync(join(memoryFolder(), 'throughline-own-balancer-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration(folder, text(port)));
  const child = spawn(program, ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  const ended = once(child, 'exit');
  const end = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const url = `http://127.0.0.1:${port}`;
  const latest = Date.now() + answerMs;
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() > latest) {
      await end();
      return `The nginx of this machine does not start: ${said}`;
    }
    await sleep(20);
  }
  return { url, log: () => said, [Symbol.asyncDispose]: end };
}

function configuration(folder: string, text: string): string {
  const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  return [
    'daemon off;',
    'worker_processes 1;',
    `pid ${join(folder, 'pid')};`,
    'error_log stderr warn;',
    'events { worker_connections 1024; }',
    'http {',
    'access_log off;',
    ...bodies,
    text,
    '}',
    '',
  ].join('\n');
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(`${url}/health`);
    return true;
  } catch {
    return false;
  }
}
