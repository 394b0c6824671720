import { stripVTControlCharacters } from 'node:util';
import { widthOf } from './text.ts';

/** The part at the bottom that is drawn again and again. */
export interface LivePart {
  /** No row as wide as the screen, and fewer of them than it has. */
  readonly rows: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number };
}

interface LiveScreenOptions {
  readonly write: (text: string) => void;
  /** How wide the terminal is now. */
  readonly columns: () => number;
  /** The terminal breaks rows anew when it gets narrower; others cut them off. */
  readonly breaksRows: boolean;
}

const escape = '\u001b[';
/** A terminal that knows it shows what is between them at once. */
const begin = `${escape}?2026h${escape}?25l`;
const end = `${escape}?25h${escape}?2026l`;
const empty: LivePart = { rows: [], cursor: { x: 0, y: 0 } };

/**
 * Rows that are printed for good, and a live part below them that is drawn in its place again. It knows where that place
 * is also after the terminal has changed its width, and with it the rows.
 */
export class LiveScreen {
  readonly #options: LiveScreenOptions;
  #live = empty;
  #drawnColumns = 0;

  constructor(options: LiveScreenOptions) {
    this.#options = options;
  }

  draw(printed: readonly string[], live: LivePart): void {
    const columns = this.#options.columns();
    const isSame = columns === this.#drawnColumns && isEqual(live, this.#live);
    if (printed.length === 0 && isSame) return;
    const rows = printed.map((row) => `${row}\r\n`).join('');
    this.#options.write(begin + this.#toTop(columns) + rows + partText(live) + end);
    this.#live = live;
    this.#drawnColumns = columns;
  }

  /** Takes the live part away: what is written next stands in its place. */
  clear(): void {
    if (this.#live.rows.length === 0) return;
    this.#options.write(this.#toTop(this.#options.columns()));
    this.#live = empty;
  }

  /** Begins at the top of an empty screen. */
  wipe(): void {
    this.#options.write(`${escape}H${escape}2J`);
    this.#live = empty;
  }

  /** To the first row of the live part, and what stands from there is erased. */
  #toTop(columns: number): string {
    const { rows, cursor } = this.#live;
    if (rows.length === 0) return '';
    const above = this.#options.breaksRows
      ? rows.slice(0, cursor.y).reduce((sum, row) => sum + heightOf(row, columns), 0) +
        Math.floor(cursor.x / columns)
      : cursor.y;
    return `\r${above > 0 ? `${escape}${above}A` : ''}${escape}J`;
  }
}

function partText({ rows, cursor }: LivePart): string {
  if (rows.length === 0) return '';
  const up = rows.length - 1 - cursor.y;
  return `${rows.join('\r\n')}\r${up > 0 ? `${escape}${up}A` : ''}${cursor.x > 0 ? `${escape}${cursor.x}C` : ''}`;
}

function heightOf(row: string, columns: number): number {
  return Math.max(1, Math.ceil(widthOf(stripVTControlCharacters(row)) / columns));
}

function isEqual(one: LivePart, other: LivePart): boolean {
  return (
    one.cursor.x === other.cursor.x &&
    one.cursor.y === other.cursor.y &&
    one.rows.length === other.rows.length &&
    one.rows.every((row, index) => row === other.rows[index])
  );
}

/** Which terminals cut rows off: xterm itself, rxvt, and the consoles and multiplexers that never moved a row. */
export function breaksRows({
  TERM = '',
  TMUX,
  XTERM_VERSION,
}: Readonly<Record<string, string | undefined>>): boolean {
  if (TMUX !== undefined) return true;
  return XTERM_VERSION === undefined && !/^(?:linux|screen|rxvt|vt\d)/.test(TERM);
}
