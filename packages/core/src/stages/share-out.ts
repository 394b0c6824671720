/**
 * Shares `room` out among items of the given sizes so that small ones keep all they need: the level to which the
 * larger ones are cut. `Infinity` when everything fits. Never below 0.
 */
export function shareOut(sizes: readonly number[], room: number): number {
  const ascending = [...sizes].sort((a, b) => a - b);
  let left = room;
  for (let index = 0; index < ascending.length; index += 1) {
    const size = ascending[index] ?? 0;
    const level = left / (ascending.length - index);
    if (size > level) return Math.max(0, Math.floor(level));
    left -= size;
  }
  return Infinity;
}
