/** Where the two independent hashes of a fact's text begin. Each step takes one character, so they can go on from any. */
export const lowSeed = 0x11c9dc5;
export const highSeed = 0x2545f491;

export function lowHash(low: number, code: number): number {
  return Math.imul(low ^ code, 0x01000193);
}

export function highHash(high: number, code: number): number {
  return (Math.imul(high ^ code, 0x85ebca6b) + 1) | 0;
}

/** The upper bits into the lower ones, where a table looks. */
export function foldHash(hash: number): number {
  return hash ^ (hash >>> 15);
}
