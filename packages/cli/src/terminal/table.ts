import { cutMiddle, cutTo, padEnd, padStart, widthOf, wrap } from './text.ts';

export interface Column {
  readonly title: string;
  /** @default 'left' */
  readonly align?: 'left' | 'right';
  /** The cells may be cut when the table is too wide; columns without it keep their width. */
  readonly canCut?: true;
  /** The column is left out, with all others that can be, where the table is too wide even when it is cut. */
  readonly canDrop?: true;
  /** How the cells look; gets the padded text. */
  readonly style?: (text: string) => string;
}

/** A text and, where it may be cut, what stands in it: of prose the beginning says most, of paths both ends do. */
type Cell = string | { readonly text: string; readonly cut: 'end' | 'middle' };

/** Fewest columns that a cut column keeps. */
const leastColumns = 8;
const gap = '  ';

/**
 * Lines of a table of at most `columns`: what may be cut is cut, then what may be left out is left out, and where that
 * is not enough the cells of a row stand below each other, whole. The cells are plain printable text; the last column is
 * not padded. A head is shown when a column has a title.
 */
export function table(
  layout: readonly Column[],
  rows: readonly (readonly Cell[])[],
  columns: number,
): string[] {
  const titles = layout.map(({ title }) => title);
  const widths = fitWidths(layout, [titles, ...rows], columns);
  if (totalOf(widths) > columns && layout.some(({ canDrop }) => canDrop)) {
    const stays = (_: unknown, index: number): boolean => layout[index]?.canDrop !== true;
    return table(
      layout.filter(stays),
      rows.map((row) => row.filter(stays)),
      columns,
    );
  }
  if (totalOf(widths) > columns) return rows.flatMap((row) => stacked(layout, row, columns));
  const lines = rows.map((row) => lineOf(layout, widths, row, true));
  const hasHead = titles.some((title) => title !== '');
  return hasHead ? [lineOf(layout, widths, titles, false), ...lines] : lines;
}

/** The widest cell of each column, less what has to be cut. */
function fitWidths(
  layout: readonly Column[],
  rows: readonly (readonly Cell[])[],
  columns: number,
): readonly number[] {
  const widths = layout.map((_, index) => Math.max(0, ...rows.map((row) => widthOf(textOf(row[index])))));
  let excess = totalOf(widths) - columns;
  for (let index = layout.length - 1; index >= 0 && excess > 0; index -= 1) {
    if (layout[index]?.canCut !== true) continue;
    const width = widths[index] ?? 0;
    const taken = Math.min(excess, Math.max(0, width - leastColumns));
    widths[index] = width - taken;
    excess -= taken;
  }
  return widths;
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1));
}

function lineOf(
  layout: readonly Column[],
  widths: readonly number[],
  row: readonly Cell[],
  isStyled: boolean,
): string {
  const cells = layout.map(({ align, style }, index) => {
    const width = widths[index] ?? 0;
    const cell = row[index];
    const isPath = typeof cell === 'object' && cell.cut === 'middle';
    const text = isPath ? cutMiddle(cell.text, width) : cutTo(textOf(cell), width);
    const isLast = index === layout.length - 1;
    const padded = align === 'right' ? padStart(text, width) : isLast ? text : padEnd(text, width);
    return isStyled && style ? style(padded) : padded;
  });
  return cells.join(gap).trimEnd();
}

/** The first cell, and below it the others behind their titles: numbers are never cut. */
function stacked(layout: readonly Column[], row: readonly Cell[], columns: number): string[] {
  const [first = '', ...others] = row;
  const indent = ' '.repeat(4 + widthOf(textOf(first)) - widthOf(textOf(first).trimStart()));
  const named = others.map((cell, index) => `${layout[index + 1]?.title ?? ''} ${textOf(cell)}`.trim());
  const below = wrap(named.filter((text) => text !== '').join(' · '), columns - indent.length);
  const style = layout[0]?.style ?? ((text: string) => text);
  return [
    style(typeof first === 'string' ? cutTo(first, columns) : cutMiddle(first.text, columns)),
    ...below.filter((line) => line !== '').map((line) => indent + line),
  ];
}

function textOf(cell: Cell | undefined): string {
  return typeof cell === 'object' ? cell.text : (cell ?? '');
}
