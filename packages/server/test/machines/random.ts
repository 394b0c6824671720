/** Numbers from 0 up to 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Of `MACHINES_SEED`, else one that nobody has seen; printed, so that a fault can be looked for again. */
export function seedOf(given = process.env['MACHINES_SEED']): number {
  const seed = given === undefined ? Math.floor(Math.random() * 1e9) : Number(given);
  process.stdout.write(`MACHINES_SEED=${seed}\n`);
  return seed;
}
