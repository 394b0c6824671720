import { createInterface } from 'node:readline';
import { spawn } from 'node:child_process';

const script = new URL('./store-process.ts', import.meta.url).pathname;

export interface EndedProcess {
  /** What it said before it ended, line by line. */
  readonly lines: readonly string[];
  readonly exitCode: number | null;
  readonly errors: string;
}

/**
 * Runs `store-process.ts` as a process of its own.
 *
 * @param killAfter it is killed, without a chance to tidy up, when it has said so many lines.
 */
export async function runProcess(args: readonly string[], killAfter = Infinity): Promise<EndedProcess> {
  const child = spawn(process.execPath, ['--conditions=throughline-source', script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (errors += text));
  const ended = new Promise<number | null>((resolve) => void child.on('close', resolve));
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    if (lines.length >= killAfter) child.kill('SIGKILL');
  });
  const exitCode = await ended;
  return { lines, exitCode, errors };
}
