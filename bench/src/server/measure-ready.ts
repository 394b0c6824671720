import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { median } from '../engine/measure.ts';
import { temporaryFolder } from '../agent/bench-agent.ts';

interface ReadyFigures {
  readonly rounds: number;
  readonly medianMs: number;
  readonly longestMs: number;
  /** The same Node, doing nothing. */
  readonly emptyMs: number;
}

const main = join(import.meta.dirname, '../../../packages/cli/dist/main.js');

/** From the start of `serve`, as it is built, until it answers at the address that it prints. In turn with an empty Node. */
export async function measureReady(rounds: number): Promise<ReadyFigures> {
  const times: number[] = [];
  const empty: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const ms = await untilReady();
    const nothing = await untilEnd();
    // The first fills what is cached.
    if (round < 0) continue;
    times.push(ms);
    empty.push(nothing);
  }
  return { rounds, medianMs: median(times), longestMs: Math.max(...times), emptyMs: median(empty) };
}

async function untilReady(): Promise<number> {
  using folder = temporaryFolder();
  const before = performance.now();
  const env = { ...process.env, HOME: folder.path, XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path };
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', '--no-color'], {
    cwd: folder.path,
    env,
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  try {
    let printed = '';
    const url = await new Promise<string>((resolve, reject) => {
      const read = (chunk: Buffer): void => {
        printed += chunk.toString();
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
        if (found !== undefined) resolve(found);
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('exit', () => reject(new Error(`serve ended: ${printed}`)));
    });
    const answer = await fetch(`${url}/health`);
    await answer.text();
    return performance.now() - before;
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function untilEnd(): Promise<number> {
  const before = performance.now();
  const child = spawn(process.execPath, ['-e', '0']);
  await new Promise((resolve) => child.once('exit', resolve));
  return performance.now() - before;
}
