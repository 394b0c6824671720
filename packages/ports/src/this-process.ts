import { readFileSync, readlinkSync } from 'node:fs';

let known: string | null | undefined;

/**
 * Names this process among all that have run on this kernel since it was started: the start of the kernel, the
 * namespace of process numbers, and the number in it. `null` where one of them is not to be had (not on Linux).
 */
export function thisProcess(): string | null {
  known ??= nameOf(process.pid);
  return known;
}

function nameOf(pid: number): string | null {
  try {
    const start = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${start} ${readlinkSync('/proc/self/ns/pid')} ${pid}`;
  } catch {
    return null;
  }
}

/**
 * Whether the process that had this name is dead; `true` only where that is certain. Nobody can tell of another machine
 * or container, nor where the number has been given away again.
 *
 * @param name of {@link thisProcess}, as another process had it
 */
export function isProcessDead(name: string): boolean {
  const [, place = '', pid = ''] = /^(.+) ([1-9]\d{0,9})$/.exec(name) ?? [];
  const [, own] = /^(.+) \d+$/.exec(thisProcess() ?? '') ?? [];
  return place !== '' && place === own && isFree(Number(pid));
}

/** Nobody has this number: one that may not be asked is there. */
function isFree(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
