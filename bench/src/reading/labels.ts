import { formatTable } from '../table.ts';
import type { ReadingSet } from './reading-sets.ts';

/** A failure that the labels list: its messages, and whether something repaired it. */
interface LabelledFailure {
  readonly ordinals: readonly number[];
  readonly isOpen: boolean;
}

interface StateScore {
  readonly set: string;
  /** Ids of failures that the summary states as not repaired. */
  readonly stated: readonly number[];
  readonly right: number;
  readonly wrong: number;
  /** Stated, and in no row of the labels: not judged. */
  readonly unlisted: number;
  /** Open failures of the labels up to the message that the state is told of, and how many of them are stated. */
  readonly open: number;
  readonly found: number;
}

const failuresTitle = /^- Failed, without a later success/;
// A row that says `not failures` explains what looks like one.
const stillOpen = /^(?:unresolved|never|not (?!failures?\b)|open|no\b)/i;
// A call and its result stand in messages beside each other, and labels name the one or the other.
const reach = 1;

/** Compares what a summary states as failed with the labels of the set: precision and recall of M16. */
export function scoreState(context: string, set: ReadingSet): StateScore {
  const stated = statedFailures(context);
  const last = Number(/^## State \(as of m(\d+)\)/m.exec(context)?.[1] ?? -1);
  const failures = labelledFailures(set.labels);
  const rowOf = (ordinal: number): LabelledFailure | undefined =>
    failures.find(({ ordinals }) => ordinals.some((one) => Math.abs(one - ordinal) <= reach));
  const rows = stated.map(rowOf);
  const open = failures.filter(({ ordinals, isOpen }) => isOpen && Math.max(...ordinals) <= last);
  return {
    set: set.name,
    stated,
    right: rows.filter((row) => row?.isOpen === true).length,
    wrong: rows.filter((row) => row?.isOpen === false).length,
    unlisted: rows.filter((row) => row === undefined).length,
    open: open.length,
    found: open.filter((row) => rows.includes(row)).length,
  };
}

function statedFailures(context: string): number[] {
  const lines = context.split('\n');
  const start = lines.findIndex((line) => failuresTitle.test(line));
  if (start < 0) return [];
  const ids: number[] = [];
  for (const line of lines.slice(start + 1)) {
    const id = /^ {2}- m(\d+) /.exec(line)?.[1];
    if (id === undefined) break;
    ids.push(Number(id));
  }
  return ids;
}

/** The rows of section (b): messages, what, what resolved it. */
function labelledFailures(labels: string): LabelledFailure[] {
  const section = /## \(b\)[^\n]*\n([\s\S]*?)(?=\n## |$)/.exec(labels)?.[1] ?? '';
  return section.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    const ordinals = [...(cells[1] ?? '').matchAll(/m(\d+)/g)].map(([, digits]) => Number(digits));
    return ordinals.length === 0 ? [] : [{ ordinals, isOpen: stillOpen.test(cells[3] ?? '') }];
  });
}

export function stateTable(scores: readonly StateScore[]): string {
  const sum = (pick: (score: StateScore) => number): number =>
    scores.reduce((all, score) => all + pick(score), 0);
  const rows = scores.map(({ set, stated, right, wrong, unlisted, open, found }) => [
    set,
    stated.length,
    right,
    wrong,
    unlisted,
    open,
    found,
  ]);
  const judged = sum(({ right, wrong }) => right + wrong);
  const precision = judged === 0 ? '–' : (sum(({ right }) => right) / judged).toFixed(2);
  const open = sum((score) => score.open);
  const recall = open === 0 ? '–' : (sum(({ found }) => found) / open).toFixed(2);
  const table = formatTable(
    ['failures stated', 'stated', 'open', 'repaired', 'not labelled', 'open in labels', 'found'],
    rows,
  );
  return `${table}\nprecision ${precision}, recall ${recall}; decisions stated: 0 (none are made of sentences)`;
}
