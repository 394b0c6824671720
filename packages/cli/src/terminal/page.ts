import { countOf } from './numbers.ts';
import { cutTo, padEnd, printable, widthOf, wrap } from './text.ts';
import { styleText } from 'node:util';

/** Text output in the making: sections of lines, none wider than `columns`. */
export interface Page {
  readonly style: Style;
  readonly columns: number;
  /** A blank line and a heading. */
  readonly section: (heading: string) => void;
  /** Lines that are known to fit. */
  readonly lines: (lines: readonly string[]) => void;
  /** Plain text of any length, wrapped; `style` colours each line. */
  readonly say: (text: string, style?: Paint) => void;
  /** Short items in a row, broken between them where the line ends. */
  readonly row: (items: readonly string[]) => void;
  /** A label and a text of any length, which is wrapped beside it. */
  readonly field: (label: string, text: string, style?: Paint) => void;
  readonly text: () => string;
}

/** Columns of the labels of fields. */
const labelColumns = 18;

const mostColumns = 100;
const leastColumns = 40;

/** What a page has to know of the output. */
interface PageOutput {
  readonly columns: number;
  readonly hasColor: boolean;
}

interface PageOptions {
  /** `false`: `--no-color`. */
  readonly color?: boolean;
}

export function createPage(output: PageOutput, options: PageOptions = {}): Page {
  const columns = Math.max(leastColumns, Math.min(mostColumns, output.columns));
  const style = createStyle(output.hasColor && options.color !== false);
  const all: string[] = [];
  return {
    style,
    columns,
    section: (heading) => {
      if (all.length > 0) all.push('');
      all.push(...wrap(heading, columns).map(style.heading));
    },
    lines: (lines) => void all.push(...lines),
    say: (text, styled = (line) => line) => void all.push(...wrap(text, columns).map(styled)),
    row: (items) => void all.push(...joinRow(items, columns).flatMap((line) => wrap(line, columns))),
    field: (label, text, styled = (line) => line) => {
      const [first = '', ...rest] = wrap(text, columns - labelColumns - 2);
      all.push(`  ${padEnd(label, labelColumns)}${styled(first)}`);
      all.push(...rest.map((line) => ' '.repeat(labelColumns + 2) + styled(line)));
    },
    text: () => all.map((line) => `${line}\n`).join(''),
  };
}

function joinRow(items: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    const joined = last === undefined ? item : `${last} · ${item}`;
    if (last === undefined || widthOf(joined) > columns) lines.push(item);
    else lines[lines.length - 1] = joined;
  }
  return lines;
}

/** What could not be read or understood, with its place: the first few, and how many more. */
export function printNotes(
  notes: readonly { readonly line?: number; readonly note: string }[],
  { say, style }: Page,
): void {
  for (const { line, note } of notes.slice(0, mostNotes))
    say(`note: ${line === undefined ? '' : `line ${line}: `}${printable(note)}`, style.warning);
  if (notes.length > mostNotes) say(`and ${countOf(notes.length - mostNotes, 'more note')}`, style.warning);
}

const mostNotes = 5;

/** A line on standard error that says what is being done, while it lasts. Nothing where nobody looks. */
export interface Progress {
  readonly say: (text: string) => void;
  readonly clear: () => void;
}

/** `showsProgress`: somebody looks. */
interface ProgressOutput {
  readonly showsProgress: boolean;
  readonly columns: number;
  readonly err: (text: string) => void;
}

export function createProgress({ showsProgress, columns, err }: ProgressOutput): Progress {
  let isShown = false;
  const clear = (): void => {
    if (isShown) err('\r\u001b[K');
    isShown = false;
  };
  return {
    say(text) {
      if (!showsProgress) return;
      clear();
      err(cutTo(printable(text), columns - 1));
      isShown = true;
    },
    clear,
  };
}

/** The same text as it is shown. */
export type Paint = (text: string) => string;

/** How parts of the output look. Without colours each is the text itself. */
export interface Style {
  readonly heading: Paint;
  readonly faint: Paint;
  readonly good: Paint;
  readonly warning: Paint;
  readonly bad: Paint;
  readonly bar: Paint;
  readonly freed: Paint;
}

type Format = Parameters<typeof styleText>[0];

export function createStyle(hasColor: boolean): Style {
  const as = (format: Format) => (text: string) =>
    hasColor && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  return {
    heading: as('bold'),
    faint: as('dim'),
    good: as('green'),
    warning: as('yellow'),
    bad: as('red'),
    bar: as('cyan'),
    freed: as('green'),
  };
}
