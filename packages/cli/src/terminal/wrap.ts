import { takeColumns, widthOf } from './fit-text.ts';

/**
 * Lines of at most `columns`, broken at spaces where possible; a word that is longer is cut. The indentation of the
 * first line is kept on all.
 */
export function wrap(text: string, columns: number): string[] {
  const indent = /^ */.exec(text)?.[0].slice(0, Math.max(0, columns - 20)) ?? '';
  const room = Math.max(1, columns - indent.length);
  const lines: string[] = [];
  let line = '';
  for (const word of text.replace(/^ +| +$/g, '').split(/ +/)) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (widthOf(joined) <= room) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (widthOf(line) > room) {
      const { taken, rest } = takeColumns(line, room);
      lines.push(taken === '' ? line.slice(0, 1) : taken);
      line = taken === '' ? line.slice(1) : rest;
    }
  }
  lines.push(line);
  return lines.map((one) => (one === '' ? '' : indent + one));
}
