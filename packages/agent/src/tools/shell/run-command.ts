import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { errorMessage } from '@throughline/core/internal';

interface CommandOptions {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Both outputs as they come, one piece at a time: reading waits for it. */
  readonly onOutput: (text: string) => Promise<void>;
}

export interface CommandEnd {
  readonly reason: 'exited' | 'timed-out' | 'cancelled' | 'not-started';
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
  readonly durationMs: number;
  /** Processes that outlived the command and were ended. */
  readonly hadLeftovers: boolean;
  /** Why it did not start. */
  readonly error?: string;
}

// Output that is still in the pipe when the command is gone.
const drainMs = 250;

/**
 * Runs a command in a process group of its own, without input. It ends with everything it started: on exit, on time-out
 * and on abort nothing of it is left. Never throws.
 */
export async function runCommand(options: CommandOptions): Promise<CommandEnd> {
  const startedMs = performance.now();
  const mark = `THROUGHLINE_CALL_ID=${randomUUID()}`;
  const started = await start(options, mark);
  const durationMs = (): number => Math.round(performance.now() - startedMs);
  if ('error' in started) {
    return {
      reason: 'not-started',
      exitCode: null,
      exitSignal: null,
      durationMs: durationMs(),
      hadLeftovers: false,
      ...started,
    };
  }
  const { child, groupId } = started;
  const family: ProcessFamily = { groupId, mark };
  const drained = Promise.all([drain(child.stdout, options.onOutput), drain(child.stderr, options.onOutput)]);
  const reason = await endOf(child, options, family);
  await Promise.race([drained, sleep(drainMs)]);
  const hadLeftovers = reason === 'exited' && (await outlives(family));
  if (hadLeftovers) await endProcesses(family);
  await Promise.race([drained, sleep(drainMs)]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return {
    reason,
    exitCode: child.exitCode,
    exitSignal: child.signalCode,
    durationMs: durationMs(),
    hadLeftovers,
  };
}

type Started = { readonly child: ChildProcess; readonly groupId: number } | { readonly error: string };

async function start({ command, cwd, environment }: CommandOptions, mark: string): Promise<Started> {
  const [file = '', ...args] = command;
  const [name = '', value = ''] = mark.split('=');
  try {
    const child = spawn(file, args, {
      cwd,
      env: { ...environment, [name]: value },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await once(child, 'spawn');
    child.on('error', () => {}); // a signal that came too late
    return child.pid === undefined ? { error: 'it has no process id' } : { child, groupId: child.pid };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

/** Waits for the end of the command, or brings it about. */
async function endOf(
  child: ChildProcess,
  { timeoutMs, signal }: CommandOptions,
  family: ProcessFamily,
): Promise<CommandEnd['reason']> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any([signal, timeout]);
  const exited = exitOf(child);
  const { promise: stopped, resolve: stop } = Promise.withResolvers<'stopped'>();
  const listener = (): void => stop('stopped');
  ended.addEventListener('abort', listener, { once: true });
  if (ended.aborted) listener();
  const first = await Promise.race([exited, stopped]);
  ended.removeEventListener('abort', listener);
  if (first !== 'stopped') return 'exited';
  await endProcesses(family);
  await Promise.race([exited, sleep(drainMs)]);
  return signal.aborted ? 'cancelled' : 'timed-out';
}

/** Gives what is about to end (`>(gzip > file)`) the moment it needs. */
async function outlives(family: ProcessFamily): Promise<boolean> {
  const untilMs = performance.now() + drainMs;
  while (await isRunning(family)) {
    if (performance.now() > untilMs) return true;
    await sleep(20);
  }
  return false;
}

async function exitOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  await promise;
}

async function drain(stream: Readable | null, onOutput: CommandOptions['onOutput']): Promise<void> {
  if (!stream) return;
  const decoder = new StringDecoder('utf8');
  try {
    for await (const chunk of stream) {
      if (Buffer.isBuffer(chunk)) await onOutput(decoder.write(chunk));
    }
    await onOutput(decoder.end());
  } catch {
    // The stream was destroyed because a process that nobody can find holds it open.
  }
}

/** Processes that belong together: a group, and those anywhere whose environment holds `mark`. */
interface ProcessFamily {
  readonly groupId: number;
  /** `NAME=value`, the value unique to this family. */
  readonly mark: string;
}

const graceMs = 500;
const maxRounds = 20;

/** Whether any process of a family still runs. */
async function isRunning(family: ProcessFamily): Promise<boolean> {
  return signalGroup(family.groupId, 0) || (await markedProcesses(family.mark)).length > 0;
}

/**
 * Ends a family: SIGTERM, after half a second SIGKILL, until nobody is left. A process that left the group (`setsid`, a
 * daemon) is found by its environment, on systems with `/proc`; one that also cleared its environment is not.
 */
async function endProcesses(family: ProcessFamily): Promise<void> {
  await signalFamily(family, 'SIGTERM');
  const killAtMs = performance.now() + graceMs;
  while (performance.now() < killAtMs) {
    if (!(await isRunning(family))) return;
    await sleep(20);
  }
  for (let round = 0; round < maxRounds && (await signalFamily(family, 'SIGKILL')); round += 1)
    await sleep(20);
}

/** `false` when nobody was left to signal. */
async function signalFamily({ groupId, mark }: ProcessFamily, signal: NodeJS.Signals): Promise<boolean> {
  const marked = await markedProcesses(mark);
  const inGroup = signalGroup(groupId, signal);
  for (const pid of marked) send(pid, signal);
  return inGroup || marked.length > 0;
}

function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  return send(-groupId, signal);
}

/** `false` when there is no such process or it is somebody else's by now. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

async function markedProcesses(mark: string): Promise<number[]> {
  const names = await readdir('/proc').catch((): string[] => []);
  const wanted = Buffer.from(mark);
  const found = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        // A zombie has an empty environment, a process of somebody else none we may read.
        const environment = await readFile(`/proc/${name}/environ`).catch(() => undefined);
        return environment?.includes(wanted) === true ? [Number(name)] : [];
      }),
  );
  return found.flat();
}
