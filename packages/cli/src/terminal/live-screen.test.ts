import { describe, expect, it } from 'vitest';
import { breaksRows, LiveScreen } from './live-screen.ts';

// oxlint-disable-next-line no-control-regex
const sequences = /(\u001b\[\??(\d*)([A-Za-z]))|([^])/g;

/** A terminal that knows what the screen says to it: text, moves up and to the right, and what is erased. */
class TinyTerminal {
  columns: number;
  /** A row, and whether the next one goes on with it. */
  rows: { text: string; isBroken: boolean }[] = [{ text: '', isBroken: false }];
  x = 0;
  y = 0;

  constructor(columns: number) {
    this.columns = columns;
  }

  readonly write = (text: string): void => {
    for (const [, move, count, kind, character] of text.matchAll(sequences)) {
      if (move === undefined) this.#put(character ?? '');
      else if (kind === 'A') this.y -= Number(count);
      else if (kind === 'C') this.x += Number(count);
      else if (kind === 'J') this.rows.splice(this.y, Infinity, { text: '', isBroken: false });
    }
  };

  #put(character: string): void {
    if (character === '\r') this.x = 0;
    else if (character === '\n') this.#down(false);
    else {
      if (this.x === this.columns) this.#down(true);
      const row = this.#row();
      row.text = row.text.padEnd(this.x).slice(0, this.x) + character + row.text.slice(this.x + 1);
      this.x += 1;
    }
  }

  #down(isBroken: boolean): void {
    this.#row().isBroken = isBroken;
    this.y += 1;
    if (isBroken) this.x = 0;
    this.rows[this.y] ??= { text: '', isBroken: false };
  }

  #row(): { text: string; isBroken: boolean } {
    return (this.rows[this.y] ??= { text: '', isBroken: false });
  }

  /** Breaks all lines anew, as most terminals do; the cursor stays at its character. */
  resize(columns: number): void {
    this.columns = columns;
    const rows: typeof this.rows = [];
    let place = { x: 0, y: 0 };
    let line = '';
    this.rows.forEach(({ text, isBroken }, index) => {
      const at = index === this.y ? line.length + this.x : undefined;
      line += text;
      if (at !== undefined) place = { x: at % columns, y: rows.length + Math.floor(at / columns) };
      if (isBroken) return;
      const pieces = line.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [''];
      pieces.forEach((piece, each) => rows.push({ text: piece, isBroken: each < pieces.length - 1 }));
      line = '';
    });
    this.rows = rows;
    Object.assign(this, place);
  }

  get shown(): readonly string[] {
    return this.rows.map(({ text }) => text);
  }
}

const liveOf = (columns: number, text = '') => ({
  rows: ['─'.repeat(columns - 1), `› ${text}`, 'usage'.padEnd(columns - 1, '.').slice(0, columns - 1)],
  cursor: { x: 2 + text.length, y: 1 },
});

function opened(columns: number): { readonly terminal: TinyTerminal; readonly screen: LiveScreen } {
  const terminal = new TinyTerminal(columns);
  const { write } = terminal;
  return { terminal, screen: new LiveScreen({ write, columns: () => terminal.columns, breaksRows: true }) };
}

describe('the live part', () => {
  it('is drawn in its place, below what is printed', () => {
    const { terminal, screen } = opened(40);
    screen.draw(['one'], liveOf(40));
    screen.draw(['two'], liveOf(40, 'abc'));
    expect(terminal.shown).toEqual(['one', 'two', ...liveOf(40, 'abc').rows]);
    expect([terminal.x, terminal.y]).toEqual([5, 3]);
    screen.clear();
    expect(terminal.shown).toEqual(['one', 'two', '']);
  });

  it('leaves nothing behind however the width changes', () => {
    const { terminal, screen } = opened(80);
    const printed = ['a row that is printed for good and is rather long '.repeat(3).slice(0, 79)];
    screen.draw(printed, liveOf(80, 'x'.repeat(50)));
    for (const columns of [60, 41, 20, 7, 33, 120, 79, 12]) {
      terminal.resize(columns);
      screen.draw([], liveOf(columns, 'x'));
      const expected = new TinyTerminal(80);
      expected.write(`${printed[0]}\r\n`);
      expected.resize(columns);
      expect(terminal.shown).toEqual([...expected.shown.slice(0, -1), ...liveOf(columns, 'x').rows]);
    }
  });

  it('is not drawn again while it is the same', () => {
    const { terminal, screen } = opened(40);
    screen.draw([], liveOf(40));
    const before = terminal.rows;
    terminal.rows = [];
    screen.draw([], liveOf(40));
    expect([terminal.rows, before.length]).toEqual([[], 3]);
  });
});

it('knows the terminals that cut rows off', () => {
  expect(breaksRows({ TERM: 'xterm-256color' })).toBe(true);
  expect(breaksRows({ TERM: 'screen', TMUX: '/tmp/x' })).toBe(true);
  for (const TERM of ['linux', 'rxvt-unicode', 'screen']) expect(breaksRows({ TERM })).toBe(false);
  expect(breaksRows({ TERM: 'xterm', XTERM_VERSION: 'XTerm(390)' })).toBe(false);
});
