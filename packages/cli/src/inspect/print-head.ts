import { countOf, formatNumber, formatPercent } from '../terminal/numbers.ts';
import { cutTo, padEnd, padStart } from '../terminal/fit-text.ts';
import { formatLabels } from '@throughline/importers';
import { printable } from '../terminal/printable.ts';
import { printNotes } from '../terminal/page.ts';
import type { FormatName } from '@throughline/importers';
import type { Inspection, SessionFacts } from './inspection.ts';
import type { Page } from '../terminal/page.ts';

const mostOthers = 10;

/** What the file is, and how full the window is. */
export function printHead(inspection: Inspection, page: Page): void {
  const {
    file,
    format,
    session,
    otherSessions,
    recordedCompactions,
    tokens,
    window,
    percentOfUsable,
    notes,
  } = inspection;
  const { style } = page;
  page.section(printable(file));
  page.row([
    formatLabels[format as FormatName] ?? format,
    ...(session.kind === 'active' ? [] : [`its ${session.kind} part ${session.number}`]),
    countOf(session.messages, 'message'),
    countOf(session.turns, 'turn'),
    ...(session.model === null ? [] : [`model ${printable(session.model)}`]),
    ...(recordedCompactions === 0 ? [] : [countOf(recordedCompactions, 'recorded compaction')]),
  ]);
  if (session.title !== null) page.say(`“${printable(session.title)}”`, style.faint);
  printOthers(otherSessions, page);
  printNotes(notes, page);
  page.lines(['']);
  const share = percentOfUsable / 100;
  const level = share > 0.95 ? style.bad : share > 0.8 ? style.warning : style.good;
  page.say(
    `≈ ${formatNumber(tokens.total)} tokens: ${formatPercent(share)} of the ${formatNumber(window.usableTokens)} usable`,
    level,
  );
  page.say(`in a window of ${formatNumber(window.tokens)} (${windowSource(inspection)})`);
}

function windowSource({ window: { source, model } }: Inspection): string {
  const named = model === null ? '' : printable(model);
  if (source === 'option') return '--window';
  if (source === 'model') return `that of ${named}`;
  if (source === 'log') return model === null ? 'what the log says' : `what the log says, of ${named}`;
  if (source === 'recorded model') return `that of ${named}, the recorded model`;
  return 'assumed; the model is not known: give --window or --model';
}

function printOthers(others: readonly SessionFacts[], page: Page): void {
  if (others.length === 0) return;
  page.say('Also in the file, each with --session N:', page.style.faint);
  for (const { number, kind, messages, title, id } of others.slice(0, mostOthers)) {
    const named = title === null ? printable(id) : `“${printable(title)}”`;
    const line = `  ${padStart(String(number), 3)}  ${padEnd(kind, 8)}  ${countOf(messages, 'message')}  ${named}`;
    page.lines([page.style.faint(cutTo(line, page.columns))]);
  }
  if (others.length > mostOthers)
    page.say(`  and ${others.length - mostOthers} more (--json lists all)`, page.style.faint);
}
