import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const inMemory = '/dev/shm';
/** Containers often give it 64 MB, which a test may fill. */
const leastFreeBytes = 512 * 1024 * 1024;

/**
 * Where tests put stores: a folder in memory where there is one with room, else that of all temporary files. A store
 * waits for the disk at every write, and what a test says of it does not depend on that; those of crashes and of
 * several processes work on the disk.
 */
export function memoryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    accessSync(inMemory, constants.W_OK);
    return bavail * bsize < leastFreeBytes ? tmpdir() : inMemory;
  } catch {
    return tmpdir();
  }
}
