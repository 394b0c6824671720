/** The name that was most likely meant; `undefined` where none is near. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((name) => ({ name, distance: name.startsWith(typed) ? 0 : distanceOf(typed.slice(0, 40), name) }))
    .toSorted((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(1, Math.floor(best.name.length / 2)) ? best.name : undefined;
}

/** Letters to insert, delete, replace, or swap with their neighbour. */
function distanceOf(from: string, to: string): number {
  let older: number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (older[column - 2] ?? Infinity) + 1 : Infinity,
      );
    }
    older = above;
    above = current;
  }
  return above[to.length] ?? 0;
}
