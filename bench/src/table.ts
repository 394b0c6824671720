export type Cell = string | number;

/** A plain table: the first column to the left, the others to the right. */
export function formatTable(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(String))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const format = (line: readonly string[]): string =>
    widths
      .map((width, column) =>
        column === 0 ? (line[0] ?? '').padEnd(width) : (line[column] ?? '').padStart(width),
      )
      .join('  ')
      .trimEnd();
  const [head = [], ...body] = lines;
  return [format(head), widths.map((width) => '─'.repeat(width)).join('  '), ...body.map(format)].join('\n');
}

/** A number in as many digits as say something; `–` where there is none. */
export function formatNumber(value: number, digits = 2): string {
  return Number.isFinite(value) ? value.toFixed(digits) : '–';
}

/** Tokens in thousands. */
export function formatThousands(tokens: number): string {
  if (!Number.isFinite(tokens)) return '–';
  return `${(tokens / 1_000).toFixed(tokens < 100_000 ? 1 : 0)}k`;
}
