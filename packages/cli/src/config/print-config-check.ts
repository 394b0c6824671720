import { countOf } from '../terminal/numbers.ts';
import { excerptOf, faultSentence, showConfig } from '@throughline/config';
import { printable, printableLines } from '../terminal/printable.ts';
import { widthOf } from '../terminal/fit-text.ts';
import type { ConfigFault } from '@throughline/config';
import type { LoadedConfig } from './load-config.ts';
import type { TrustQuestion } from './with-trust.ts';
import type { Page } from '../terminal/page.ts';
import type { Paint } from '../terminal/style.ts';

/** Where the configuration is from, what it comes to, and what is wrong with it. */
export function printConfigCheck(
  { file, searched, result }: LoadedConfig,
  page: Page,
  question: TrustQuestion | undefined,
): void {
  page.section('Configuration');
  page.field('file', file ? printable(file.path) : 'none: the defaults hold');
  for (const { path, state } of searched) {
    if (state === 'passed over') page.field('passed over', printable(path));
    if (state === 'absent' && !file) page.field('not there', printable(path), page.style.faint);
  }
  if (result.variables.length > 0) page.field('variables', result.variables.join(', '));
  const text = file?.text ?? '';
  if (result.type === 'faults') {
    page.section(countOf(result.faults.length, 'fault'));
    result.faults.forEach((fault) => printFault(fault, text, page, page.style.bad));
  }
  if (result.warnings.length > 0) {
    page.section(countOf(result.warnings.length, 'warning'));
    result.warnings.forEach((warning) => printFault(warning, text, page, page.style.warning));
  }
  if (question) {
    page.section(question.hasChanged ? 'Changed since it was trusted' : 'Not trusted yet');
    page.say('  These keys do not count until you trust the file; chat asks.', page.style.warning);
    for (const { key, value } of question.wants) page.say(`  ${printable(key)}: ${printable(value)}`);
  }
  if (result.type === 'config') {
    page.section(question ? 'What it comes to once it is trusted' : 'What it comes to');
    page.lines(printableLines(showConfig(result.config).trimEnd()).map((line) => `  ${line}`));
  }
}

function printFault(fault: ConfigFault, text: string, page: Page, paint: Paint): void {
  page.say(`  ${printable(faultSentence(fault))}`, paint);
  const excerpt = excerptOf(text, fault);
  if (!excerpt) return;
  const number = String(excerpt.line).padStart(6);
  const shown = printable(excerpt.text);
  // Wide characters before the caret push it along.
  const indent = widthOf(printable(excerpt.text.slice(0, excerpt.indent)));
  const caret = '^'.repeat(
    Math.max(1, widthOf(printable(excerpt.text.slice(excerpt.indent, excerpt.indent + excerpt.length)))),
  );
  if (number.length + 3 + widthOf(shown) > page.columns) return;
  page.lines([
    page.style.faint(`${number} | ${shown}`),
    `${' '.repeat(number.length)} | ${' '.repeat(indent)}${paint(caret)}`,
  ]);
}
