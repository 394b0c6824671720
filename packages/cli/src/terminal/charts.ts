import { formatNumber } from './numbers.ts';
import { padEnd, padStart } from './text.ts';
import type { Paint } from './page.ts';

/** Two series over the same steps, drawn as areas: one in front of the other. */
export interface AreaChart {
  readonly back: readonly number[];
  readonly front: readonly number[];
  /** A line across, where it lies within the chart. */
  readonly limit?: number;
  readonly columns: number;
  readonly rows: number;
  readonly paint: { readonly back: Paint; readonly front: Paint; readonly limit: Paint };
}

/** What the areas and the line are drawn with, for a legend. */
export const chartMarks = { back: '░', front: '█', limit: '┄' } as const;

const heights = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇'];
const leastColumns = 8;

/** Lines of a chart of at most `columns`, with the largest value, the limit and 0 beside it. */
export function areaChart({ back, front, limit = 0, columns, rows, paint }: AreaChart): string[] {
  const largest = [...back, ...front].reduce((most, value) => Math.max(most, value), 1);
  // A limit far above all values would flatten them.
  const top = limit > largest && limit <= 2 * largest ? limit : largest;
  const labelWidth = formatNumber(top).length;
  const width = Math.max(leastColumns, columns - labelWidth - 2);
  const drawn = { back: scaled(back, width, rows / top), front: scaled(front, width, rows / top) };
  const limitRow = limit > 0 && limit <= top ? Math.min(rows - 1, Math.floor((limit * rows) / top)) : -1;
  const lines = Array.from({ length: rows }, (_, index) => {
    const row = rows - 1 - index;
    const label =
      row === limitRow ? formatNumber(limit) : row === rows - 1 ? formatNumber(top) : row === 0 ? '0' : '';
    const cells = Array.from({ length: width }, (__, column) =>
      cellAt(drawn.back[column] ?? 0, drawn.front[column] ?? 0, row, row === limitRow),
    );
    return `${padStart(label, labelWidth)} │${painted(cells, paint)}`.trimEnd();
  });
  return [...lines, `${padEnd('', labelWidth)} └${'─'.repeat(width)}`];
}

/** The values stretched or pressed into `width` columns, in rows; of several the largest counts. */
function scaled(values: readonly number[], width: number, perValue: number): number[] {
  return columnsOf(values, width).map((value) => value * perValue);
}

function columnsOf(values: readonly number[], width: number): number[] {
  if (values.length === 0) return [];
  return Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * values.length) / width);
    const to = Math.max(from + 1, Math.floor(((column + 1) * values.length) / width));
    return values.slice(from, to).reduce((most, value) => Math.max(most, value), 0);
  });
}

type Layer = keyof AreaChart['paint'] | 'none';
type Cell = readonly [layer: Layer, mark: string];

/** What is seen in one cell, whose bottom lies at height `row`. */
function cellAt(back: number, front: number, row: number, isLimit: boolean): Cell {
  const eighths = Math.round((front - row) * 8);
  if (eighths >= 8) return ['front', chartMarks.front];
  // What is more than nothing is never invisible.
  if (eighths > 0 || (front > 0 && row === 0 && back < 1))
    return ['front', heights[Math.max(1, eighths)] ?? ' '];
  if (back - row >= 0.5) return ['back', chartMarks.back];
  return isLimit ? ['limit', chartMarks.limit] : ['none', ' '];
}

/** Neighbours of one layer are coloured together. */
function painted(cells: readonly Cell[], paint: AreaChart['paint']): string {
  let line = '';
  for (let start = 0; start < cells.length;) {
    const [layer] = cells[start] ?? ['none'];
    let end = start;
    let run = '';
    while (cells[end]?.[0] === layer) {
      run += cells[end]?.[1] ?? '';
      end += 1;
    }
    line += layer === 'none' ? run : paint[layer](run);
    start = end;
  }
  return line;
}

const barEnds = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const stripHeights = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** A bar for a share in [0, 1]; a share above 0 is never invisible. */
export function bar(share: number, columns: number): string {
  if (!(share > 0) || columns <= 0) return '';
  const units = Math.max(1, Math.round(Math.min(1, share) * columns * 8));
  return '█'.repeat(Math.floor(units / 8)) + (barEnds[units % 8] ?? '');
}

/**
 * Many values in one line: each column stands for one value, or for the sum of several neighbours where there are
 * more values than columns.
 */
export function strip(values: readonly number[], columns: number): string {
  const perColumn = Math.max(1, Math.ceil(values.length / columns));
  const sums: number[] = [];
  for (let index = 0; index < values.length; index += perColumn) {
    sums.push(values.slice(index, index + perColumn).reduce((sum, value) => sum + value, 0));
  }
  const most = Math.max(...sums, 1);
  return sums.map((sum) => stripHeights[Math.min(7, Math.floor((sum / most) * 7.999))] ?? '▁').join('');
}
