import { fail, ok, warn } from './finding.ts';
import { nearestFolder } from './nearest-folder.ts';
import { statfs } from 'node:fs/promises';
import type { Check } from './finding.ts';

const name = 'disk';
const gigabyte = 1_000_000_000;
/** A long session with its outputs. */
const scarceBytes = gigabyte;
/** The database cannot even tidy up. */
const leastBytes = 0.05 * gigabyte;

/** Free space where sessions are kept. */
export function checkDisk(path: string): Check {
  return {
    name,
    run: async () => {
      const folder = await nearestFolder(path);
      const { bavail, bsize, blocks } = await statfs(folder);
      if (blocks === 0) return [ok(name, `${folder} does not say how much is free.`)];
      const freeBytes = bavail * bsize;
      const free = `${(freeBytes / gigabyte).toFixed(1)} GB free in ${folder}`;
      if (freeBytes < leastBytes) return [fail(name, `${free}: make room.`)];
      return [freeBytes < scarceBytes ? warn(name, `${free}: a long session may fill it.`) : ok(name, free)];
    },
  };
}
