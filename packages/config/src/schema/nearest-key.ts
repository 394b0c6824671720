const maxChars = 64;
const leastPrefix = 3;

/** The known word that a mistyped one is most likely meant to be, or `undefined`. */
export function nearestKey(word: string, known: Iterable<string>): string | undefined {
  if (word.length > maxChars) return undefined;
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const one of known) {
    const distance = editDistance(plain(word), plain(one));
    if (distance < least) {
      nearest = one;
      least = distance;
    }
  }
  return nearest ?? longerKey(word, known);
}

/** The one that begins so: `reactive` for `reactive-overflow`. */
function longerKey(word: string, known: Iterable<string>): string | undefined {
  if (word.length < leastPrefix) return undefined;
  return [...known].find((one) => plain(one).startsWith(plain(word)));
}

/** Case, blanks, `-` and `_` are no difference worth counting. */
function plain(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, '');
}

/** Letters to add, drop, change or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const now = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1;
      let best = Math.min(
        (last[column] ?? 0) + 1,
        (now[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + change,
      );
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap && row > 1 && column > 1) best = Math.min(best, (before[column - 2] ?? 0) + 1);
      now.push(best);
    }
    before = last;
    last = now;
  }
  return last[b.length] ?? 0;
}
