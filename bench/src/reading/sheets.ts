import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { numbered } from './reading-sets.ts';
import { formatTable } from '../table.ts';
import type { ReadingSet } from './reading-sets.ts';

/** One context that somebody reads, under a name that says nothing. */
export interface Sheet {
  readonly code: string;
  readonly set: string;
  readonly contender: string;
  readonly budgetTokens: number;
  /** T() of the context. */
  readonly tokens: number;
  readonly withRecall: boolean;
}

export function readKey(folder: string): Sheet[] {
  return JSON.parse(readFileSync(join(folder, 'key.json'), 'utf8')) as Sheet[];
}

export function writeKey(folder: string, sheets: readonly Sheet[]): void {
  writeFileSync(join(folder, 'key.json'), `${JSON.stringify(sheets, null, 1)}\n`);
}

const readerTask =
  'Below is what is left of the record of a work session between a user and an assistant. Read it, then answer the questions at its end from this text alone. Say "not in the text" where it does not say; do not guess. One numbered answer for each question, two to five sentences, with names, numbers and reasons where the text has them.';

const recallTask =
  'Where an id such as m12 stands in the text, the original message can be fetched; everything can be searched, too. Twelve uses in all.';

export function contextSheet(text: string, { questions }: ReadingSet, withRecall: boolean): string {
  const list = questions.map((question, index) => `${index + 1}. ${question}`).join('\n');
  return `${readerTask}${withRecall ? ` ${recallTask}` : ''}\n\n<record>\n${text}\n</record>\n\n# Questions\n\n${list}\n`;
}

const graderTask =
  'Grade each answer against the reference: 1 complete and right, 0.75 a detail missing, 0.5 half of it, 0.25 a trace, 0 nothing or "not in the text"; minus 0.25 for a confident statement that the reference contradicts. Grade one question at a time over all sheets. Write one JSON object: {"kinds": [for each question one of "decision", "cause", "fact", "state", "constraint"], "CODE": [one number for each question], …}.';

/** One page for each set: a question, its reference, and the answers of all readers, in the order of their codes. */
export function writeGradingSheets(folder: string, sets: readonly ReadingSet[]): string[] {
  const sheets = readKey(folder);
  mkdirSync(join(folder, 'grading'), { recursive: true });
  return sets.flatMap((set) => {
    const answers = sheets
      .filter((sheet) => sheet.set === set.name)
      .map(({ code }) => ({ code, file: join(folder, 'answers', `${code}.md`) }))
      .filter(({ file }) => existsSync(file))
      .map(({ code, file }) => ({ code, answers: numbered(readFileSync(file, 'utf8')) }))
      .sort((a, b) => (a.code < b.code ? -1 : 1));
    if (answers.length === 0) return [];
    const parts = set.questions.map((question, index) =>
      [
        `## ${index + 1}. ${question}`,
        `**Reference:** ${set.answers[index] ?? ''}`,
        ...answers.map((one) => `**${one.code}:** ${one.answers[index] ?? '(no answer)'}`),
      ].join('\n\n'),
    );
    const path = join(folder, 'grading', `${set.name}.md`);
    writeFileSync(path, `${graderTask}\n\n${parts.join('\n\n')}\n`);
    return [path];
  });
}

type Grades = { readonly kinds?: readonly string[] } & Readonly<Record<string, readonly number[]>>;

interface Scored extends Sheet {
  readonly points: readonly number[];
  readonly kinds: readonly string[];
  /** What the reader of the whole history got for each question; a whole point each where nobody read it. */
  readonly wholePoints: readonly number[];
}

/** The contender that sends the whole history. */
const whole = 'none';

const kinds = ['decision', 'cause', 'fact', 'state', 'constraint'];

/**
 * By contender, budget and kind of question: the points for a question, and the score of M15, which is the points as a
 * share of those of a reader of the whole history, where the key has one. Then each sheet.
 */
export function scoreTable(folder: string): string {
  const scored = readScored(folder);
  const groups = Map.groupBy(
    scored,
    (one) => `${one.contender}${one.withRecall ? ', with recall' : ''} at ${one.budgetTokens / 1_000}k`,
  );
  const rows = [...groups].map(([name, all]) => [
    name,
    String(all.length),
    share(all, () => true, 'score'),
    share(all, () => true, 'points'),
    ...kinds.map((kind) => share(all, (one, index) => one.kinds[index] === kind, 'points')),
    `${Math.round(Math.min(...all.map(({ tokens }) => tokens)) / 1_000)}–${Math.round(Math.max(...all.map(({ tokens }) => tokens)) / 1_000)}k`,
  ]);
  const bySet = scored.map((one) => [
    one.set,
    `${one.contender} at ${one.budgetTokens / 1_000}k${one.withRecall ? ', recall' : ''}`,
    one.code,
    `${(one.tokens / 1_000).toFixed(1)}k`,
    share([one], () => true, 'points'),
    one.points.join(' '),
  ]);
  return `${formatTable(['contender', 'sets', 'score', 'points', ...kinds, 'tokens'], rows)}\n\n${formatTable(
    ['set', 'contender', 'sheet', 'tokens', 'mean', 'points'],
    bySet.sort((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1)),
  )}`;
}

function readScored(folder: string): Scored[] {
  const gradesFolder = join(folder, 'grades');
  const key = readKey(folder);
  return [...new Set(key.map(({ set }) => set))].flatMap((set) => {
    const file = join(gradesFolder, `${set}.json`);
    if (!existsSync(file)) return [];
    const grades = JSON.parse(readFileSync(file, 'utf8')) as Grades;
    const sheets = key.filter((sheet) => sheet.set === set);
    const wholeSheets = sheets.filter(({ contender }) => contender === whole);
    const wholePoints = wholeSheets.map(({ code }) => grades[code]).find(Boolean);
    return sheets.flatMap((sheet): Scored[] => {
      const points = grades[sheet.code];
      if (!points) return [];
      const most = wholePoints ?? points.map(() => 1);
      return [{ ...sheet, points, kinds: grades.kinds ?? [], wholePoints: most }];
    });
  });
}

/** Of the questions that are asked for: points for each (`points`), or of what a reader of the whole history got (`score`). */
function share(
  all: readonly Scored[],
  isAsked: (one: Scored, index: number) => boolean,
  of: 'points' | 'score',
): string {
  let got = 0;
  let most = 0;
  for (const one of all)
    one.points.forEach((points, index) => {
      if (!isAsked(one, index)) return;
      got += points;
      most += of === 'points' ? 1 : (one.wholePoints[index] ?? 1);
    });
  return most === 0 ? '–' : (got / most).toFixed(3);
}
