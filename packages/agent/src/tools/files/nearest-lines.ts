const maxFileLines = 10_000;
const maxCompared = 120;
const shownLines = 6;

/**
 * What a model needs to see when its text is not in the file: whether only white space differs, or the lines most like
 * its first line. `undefined` when nothing is alike. Work is linear in the file.
 */
export function nearestLines(text: string, wanted: string): string | undefined {
  const lines = text.split('\n', maxFileLines).map((line) => line.replace(/\r$/, ''));
  const wantedLines = wanted.split('\n').map((line) => line.trim());
  const sameBut = findTrimmed(lines, wantedLines);
  if (sameBut !== undefined) {
    return `Lines that differ only in white space begin at line ${sameBut + 1}:\n${show(lines, sameBut, wantedLines.length)}`;
  }
  const first = wantedLines.find((line) => line !== '');
  if (first === undefined) return undefined;
  const nearest = mostLike(lines, first.slice(0, maxCompared));
  return nearest === undefined
    ? undefined
    : `The nearest lines begin at line ${nearest + 1}:\n${show(lines, nearest, shownLines)}`;
}

/** Looks at most at a million pairs of lines: repeats could make it quadratic. */
function findTrimmed(lines: readonly string[], wanted: readonly string[]): number | undefined {
  let budget = 1_000_000;
  const trimmed = lines.map((line) => line.trim());
  for (let start = 0; start + wanted.length <= trimmed.length && budget > 0; start += 1) {
    let index = 0;
    while (index < wanted.length && trimmed[start + index] === wanted[index]) index += 1;
    budget -= index + 1;
    if (index === wanted.length && wanted.some((line) => line !== '')) return start;
  }
  return undefined;
}

function mostLike(lines: readonly string[], wanted: string): number | undefined {
  const pairs = pairsOf(wanted);
  let best: number | undefined;
  let bestShare = 0.5;
  for (const [index, line] of lines.entries()) {
    const own = pairsOf(line.trim().slice(0, maxCompared));
    if (Math.min(own.size, pairs.size) < bestShare * 0.5 * Math.max(own.size, pairs.size)) continue;
    const common = [...own].filter((pair) => pairs.has(pair)).length;
    const share = (2 * common) / (own.size + pairs.size || 1);
    if (share > bestShare) [best, bestShare] = [index, share];
  }
  return best;
}

function pairsOf(text: string): Set<string> {
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < text.length; index += 1) pairs.add(text.slice(index, index + 2));
  return pairs;
}

function show(lines: readonly string[], start: number, count: number): string {
  return lines
    .slice(start, start + Math.min(count, shownLines))
    .map(
      (line, index) =>
        `${String(start + index + 1).padStart(6)}\t${line.slice(0, maxCompared).toWellFormed()}`,
    )
    .join('\n');
}
