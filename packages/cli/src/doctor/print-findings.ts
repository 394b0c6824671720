import { padEnd } from '../terminal/fit-text.ts';
import { printable } from '../terminal/printable.ts';
import { wrap } from '../terminal/wrap.ts';
import type { Finding } from './finding.ts';
import type { Page } from '../terminal/page.ts';
import type { Style } from '../terminal/style.ts';

const styles: { readonly [State in Finding['state']]: keyof Style } = {
  ok: 'good',
  warn: 'warning',
  fail: 'bad',
};

const stateColumns = 6;
const checkColumns = 18;

/** A line per finding: state, what was looked at, what was found. */
export function printFindings(findings: readonly Finding[], page: Page): void {
  for (const { state, check, message } of findings) {
    const room = page.columns - stateColumns - checkColumns;
    const [first = '', ...rest] = printable(message.replace(/\s*\n\s*/g, ' · '))
      .split('\n')
      .flatMap((line) => wrap(line, room));
    const label = padEnd(printable(check).slice(0, checkColumns - 1), checkColumns);
    const indent = ' '.repeat(stateColumns + checkColumns);
    page.lines([
      `${page.style[styles[state]](padEnd(state, stateColumns))}${label}${first}`,
      ...rest.map((line) => indent + line),
    ]);
  }
}
