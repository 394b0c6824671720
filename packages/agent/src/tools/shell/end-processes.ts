import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Processes that belong together: a group, and those anywhere whose environment holds `mark`. */
export interface ProcessFamily {
  readonly groupId: number;
  /** `NAME=value`, the value unique to this family. */
  readonly mark: string;
}

const graceMs = 500;
const maxRounds = 20;

/** Whether any process of a family still runs. */
export async function isRunning(family: ProcessFamily): Promise<boolean> {
  return signalGroup(family.groupId, 0) || (await markedProcesses(family.mark)).length > 0;
}

/**
 * Ends a family: SIGTERM, after half a second SIGKILL, until nobody is left. A process that left the group (`setsid`, a
 * daemon) is found by its environment, on systems with `/proc`; one that also cleared its environment is not.
 */
export async function endProcesses(family: ProcessFamily): Promise<void> {
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
