import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from 'node:child_process';
import { openFile, temporaryFolder } from './bench-agent.ts';
import { median, quantile } from '../engine/measure.ts';

export interface KillFigures {
  readonly kills: number;
  /** Time between the last word that is stored and the kill. */
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  /** Kills before the first word was stored. */
  readonly withoutText: number;
}

const script = new URL('./speaking-process.ts', import.meta.url).pathname;
const together = 2;

/** Kills a process that speaks, at random moments, and looks how much of what it said is not stored. */
export async function measureKills(kills: number): Promise<KillFigures> {
  using folder = temporaryFolder();
  const lost: number[] = [];
  let left = kills;
  let withoutText = 0;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const lostMs = await killOnce(join(folder.path, `${left}`), folder.path);
      lost.push(lostMs.ms);
      if (lostMs.isEmpty) withoutText += 1;
    }
  };
  await Promise.all(Array.from({ length: together }, work));
  return {
    kills,
    medianMs: median(lost),
    p95Ms: quantile(lost, 0.95),
    maxMs: Math.max(...lost),
    withoutText,
  };
}

async function killOnce(
  folder: string,
  cache: string,
): Promise<{ readonly ms: number; readonly isEmpty: boolean }> {
  const { mkdirSync } = await import('node:fs');
  mkdirSync(folder);
  const child = spawn(process.execPath, [...process.execArgv, script, folder, 's'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(cache, 'compile-cache') },
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  let startedMs = 0;
  await new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).once('line', () => resolve());
    void ended.then(() => resolve());
  });
  startedMs = now();
  await sleep(20 + Math.random() * 400);
  child.kill('SIGKILL');
  const killedMs = now();
  await ended;
  await using store = await openFile(folder);
  const { items } = await store.history.page('s', { limit: 1 });
  const text = items[0]?.message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
  const stored = items[0]?.message.role === 'assistant' ? text.trim().split(' ').at(-1) : undefined;
  const lastMs = stored === undefined ? startedMs : Number(stored);
  return { ms: killedMs - lastMs, isEmpty: stored === undefined };
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
