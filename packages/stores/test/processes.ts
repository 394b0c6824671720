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
 * @param beforeKill done while it still lives
 */
export async function runProcess(
  args: readonly string[],
  killAfter = Infinity,
  beforeKill: () => Promise<void> = () => Promise.resolve(),
): Promise<EndedProcess> {
  const child = spawn(process.execPath, ['--conditions=throughline-source', script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  let errors = '';
  let killing: Promise<void> | undefined;
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (errors += text));
  const ended = new Promise<number | null>((resolve) => void child.on('close', resolve));
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    if (lines.length === killAfter) killing = beforeKill().finally(() => child.kill('SIGKILL'));
  });
  const exitCode = await ended;
  await killing;
  return { lines, exitCode, errors };
}
