import { createInterface } from 'node:readline';
import { spawn } from 'node:child_process';
import type { Order, Report, WorkerOptions } from './worker-process.ts';

const script = new URL('./worker-process.ts', import.meta.url).pathname;

export interface Worker {
  tell(order: Order): void;
  /** Ends it without a chance to tidy up. Resolves when it is gone. */
  kill(): Promise<void>;
}

/** Starts an agent in a process of its own. */
export function startWorker(options: WorkerOptions, onReport: (report: Report) => void): Worker {
  const child = spawn(
    process.execPath,
    ['--conditions=throughline-source', script, JSON.stringify(options)],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { NODE_COMPILE_CACHE: `${options.folder}/compile-cache`, ...process.env },
    },
  );
  let isKilled = false;
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (errors += text));
  const ended = new Promise<void>((resolve) => {
    child.on('close', (code) => {
      if (!isKilled) onReport({ type: 'fault', message: `the worker ended with ${code}: ${errors}` });
      resolve();
    });
  });
  createInterface({ input: child.stdout }).on('line', (line) => onReport(JSON.parse(line) as Report));
  // What is written to a process that was just killed is lost, as it should be.
  child.stdin.on('error', () => {});
  return {
    tell: (order) => void child.stdin.write(`${JSON.stringify(order)}\n`),
    async kill() {
      isKilled = true;
      child.kill('SIGKILL');
      await ended;
    },
  };
}
