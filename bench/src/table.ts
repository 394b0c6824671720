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

/** A figure, and the most or the least that it should be. */
export interface GoalRow {
  readonly what: string;
  readonly value: number;
  readonly digits?: number;
  readonly most?: number;
  readonly least?: number;
}

/** Figures beside their goals. */
export function formatGoals(rows: readonly GoalRow[]): string {
  const cells = rows.map(({ what, value, digits = 1, most, least }): Cell[] => {
    const goal = most ?? least;
    const isReached = most === undefined ? value >= (least ?? -Infinity) : value <= most;
    return [
      what,
      formatNumber(value, digits),
      goal === undefined ? '' : `${most === undefined ? '≥' : '≤'} ${goal}`,
      goal === undefined ? '' : isReached ? 'yes' : 'NO',
    ];
  });
  return formatTable(['', 'measured', 'goal', 'reached'], cells);
}

type MeasureIf = <Figures>(name: string, measure: () => Promise<Figures>) => Promise<Figures | undefined>;

/** Measures what is among the names that were asked for, and says on a terminal what it is at. */
export function measuringOnly(names: string): MeasureIf {
  const only = new Set(names.split(','));
  return async (name, measure) => {
    if (!only.has(name)) return undefined;
    if (process.stderr.isTTY) process.stderr.write(`  ${name}\n`);
    return await measure();
  };
}
