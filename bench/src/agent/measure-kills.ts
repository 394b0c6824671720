import { once } from 'node:events';
import { join } from 'node:path';
import { mkdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from 'node:child_process';
import { openFile, temporaryFolder } from './bench-agent.ts';
import { median, quantile } from '../engine/measure.ts';

interface KillFigures {
  readonly kills: number;
  /** Time in which the words were said that are not stored. */
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly maxMs: number;
}

const script = new URL('./speaking-process.ts', import.meta.url).pathname;
const together = 2;

/** Kills a process that speaks, at random moments, and looks how much of what it said is not stored. */
export async function measureKills(kills: number): Promise<KillFigures> {
  using folder = temporaryFolder();
  const lost: number[] = [];
  let left = kills;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      lost.push(await killOnce(join(folder.path, `${left}`), folder.path));
    }
  };
  await Promise.all(Array.from({ length: together }, work));
  return {
    kills,
    medianMs: median(lost),
    p95Ms: quantile(lost, 0.95),
    maxMs: Math.max(...lost),
  };
}

/** How much is lost, in milliseconds of speech. */
async function killOnce(folder: string, cache: string): Promise<number> {
  mkdirSync(folder);
  const child = spawn(process.execPath, [...process.execArgv, script, folder, 's'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(cache, 'compile-cache') },
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  await once(child.stdout, 'data');
  await sleep(20 + Math.random() * 400);
  child.kill('SIGKILL');
  await ended;
  await using store = await openFile(folder);
  const { items } = await store.history.page('s', { limit: 1 });
  const { role, parts = [] } = items[0]?.message ?? {};
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const stored = role === 'assistant' ? text.trim().split(' ').length : 0;
  const lost = readFileSync(join(folder, 'said.txt'), 'utf8').trim().split(' ').slice(stored).map(Number);
  return (lost.at(-1) ?? 0) - (lost[0] ?? 0);
}
