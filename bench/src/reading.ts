/**
 * The reading test: whether somebody who sees only a shortened context can go on with the work. Renders contexts for
 * readers, looks things up for them, makes grading sheets, and prints the scores. Who reads and grades is free.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createBpeEstimator } from '@throughline/tokenizers';
import { createTokenCounter, planSteps } from '@throughline/replay';
import { openTranscript, recall, searchTranscript } from '@throughline/core';
import { contendersFor } from './contenders/contenders.ts';
import { contextSheet, readKey, scoreTable, writeGradingSheets, writeKey } from './reading/sheets.ts';
import { contextText } from './reading/context-text.ts';
import { readSets } from './reading/reading-sets.ts';
import { scoreState, stateTable } from './reading/labels.ts';
import { summaryBy } from './reading/summary-by.ts';
import { throughProxy } from './reading/through-proxy.ts';
import type { Contender, Run } from '@throughline/replay';
import type { ReadingSet } from './reading/reading-sets.ts';
import type { Sheet } from './reading/sheets.ts';

const usage = `npm run bench:reading -- render [options]      contexts for readers: OUT/contexts/CODE.txt
npm run bench:reading -- recall CODE ID        what a reader with recall may fetch, 12 uses a sheet
npm run bench:reading -- search CODE WORDS
npm run bench:reading -- sheets                grading sheets from OUT/answers/CODE.md: OUT/grading/SET.md
npm run bench:reading -- table                 the scores, from OUT/grades/SET.json
npm run bench:reading -- labels                what summaries state as failed, against the labels of the sets

  --out DIR        where all of it lies, ./reading
  --budget 20k,40k trigger budgets B
  --only NAME      contenders with NAME in their name, or of a kind; repeatable
  --set NAME       sets with NAME in their name; repeatable
  --at-once        the whole history is opened at the cut, instead of step by step
  --proxy          also what reaches an upstream when the same history is sent step by step through the proxy
  --summariser CMD writes the summaries of contenders "+ summariser": gets the request as JSON on its standard input
                   (system, messages, maxOutputTokens), prints the answer; without it, sentences are extracted
  --recall         readers may fetch and search
  --sets DIR, --data DIR   where sets and recordings lie, ../shared/reading and ../shared/data`;

const mostUses = 12;
const mostTokens = 2_000;

const shared = join(import.meta.dirname, '../../../shared');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: 'reading' },
    budget: { type: 'string', default: '20k,40k' },
    only: { type: 'string', multiple: true, default: ['ours: reactive-overflow'] },
    set: { type: 'string', multiple: true, default: [] },
    'at-once': { type: 'boolean', default: false },
    proxy: { type: 'boolean', default: false },
    summariser: { type: 'string' },
    recall: { type: 'boolean', default: false },
    sets: { type: 'string', default: join(shared, 'reading') },
    data: { type: 'string', default: join(shared, 'data') },
    help: { type: 'boolean', default: false },
  },
});
const out = resolve(values.out);
const [command = '', ...words] = positionals;
const commands: Readonly<Record<string, () => Promise<void>>> = {
  render: renderAll,
  recall: async () => lookUp(words[0] ?? '', (set) => recalled(set, words[1] ?? '')),
  search: async () => lookUp(words[0] ?? '', (set) => searched(set, words.slice(1).join(' '))),
  sheets: async () => print(writeGradingSheets(out, await sets()).join('\n')),
  table: async () => print(scoreTable(out)),
  labels: printLabels,
};
const run = commands[command];
if (values.help || !run) {
  print(usage);
  process.exit(values.help ? 0 : 1);
}
if (!existsSync(values.sets)) {
  print(`There are no sets under ${values.sets}.`);
  process.exit(1);
}
await run();

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function sets(): Promise<ReadingSet[]> {
  return readSets(values.sets, values.data, values.set);
}

async function renderAll(): Promise<void> {
  const bpe = await createBpeEstimator('o200k_base');
  const counter = createTokenCounter(bpe);
  const textTokens = (text: string): number => counter.ofText(text);
  // The counter remembers each text: of whole contexts, one for each step, that is gigabytes.
  const contextTokens = (text: string): number => Math.round(bpe.count(text));
  const peersWanted = values.only.some((one) => !one.startsWith('ours'));
  const { contenders, notes } = await contendersFor({
    windowTokens: 200_000,
    reportsUsage: true,
    withPeers: peersWanted,
    only: values.only,
    textTokens,
    ...(values.summariser !== undefined && { writeSummary: summaryBy(values.summariser) }),
  });
  for (const note of notes) print(note);
  await using proxied = throughProxy({
    strategy: 'reactive-overflow',
    windowTokens: 200_000,
    textTokens: contextTokens,
  });
  const named = contenders.filter(({ name }) => name !== 'none' || values.only.includes('none'));
  const wanted = values.proxy ? [...named, proxied] : named;
  mkdirSync(join(out, 'contexts'), { recursive: true });
  mkdirSync(join(out, 'answers'), { recursive: true });
  mkdirSync(join(out, 'grades'), { recursive: true });
  const sheets: Sheet[] = existsSync(join(out, 'key.json')) ? readKey(out) : [];
  for (const set of await sets()) {
    const lengths = stepLengths(set, textTokens);
    for (const budget of values.budget.split(',')) {
      const budgetTokens = Number.parseFloat(budget) * 1_000;
      for (const contender of wanted) {
        const run = contender.start(set.session, budgetTokens);
        const text = await contextOf(run, lengths, contextTokens);
        const sheet: Sheet = {
          code: codeOf(set, contender, budgetTokens),
          set: set.name,
          contender: contender.name,
          budgetTokens,
          tokens: contextTokens(text),
          withRecall: values.recall,
        };
        writeFileSync(join(out, 'contexts', `${sheet.code}.txt`), contextSheet(text, set, values.recall));
        sheets.push(sheet);
        print(`${sheet.code}  ${set.name}  ${contender.name}  ${budget}  ${sheet.tokens} tokens`);
      }
    }
  }
  writeKey(out, [...new Map(sheets.map((sheet) => [sheet.code, sheet])).values()]);
}

/** A name that says nothing, the same for the same context. */
function codeOf(set: ReadingSet, { name }: Contender, budgetTokens: number): string {
  const what = [set.name, name, budgetTokens, values.recall, values['at-once']].join(' ');
  return createHash('sha256').update(what).digest('hex').slice(0, 6);
}

/** How long the history is at each step, up to the cut. */
function stepLengths({ session }: ReadingSet, textTokens: (text: string) => number): number[] {
  const steps = values['at-once'] ? [] : planSteps(session, { maxSteps: 1, textTokens }).steps;
  return [
    ...steps
      .map(({ historyLength }) => historyLength)
      .filter((length) => length > 0 && length < session.messages.length),
    session.messages.length,
  ];
}

/** What the contender would send at the cut. */
async function contextOf(
  run: Run,
  lengths: readonly number[],
  contextTokens: (text: string) => number,
): Promise<string> {
  const count = (messages: readonly unknown[]): number => contextTokens(contextText(messages, run.codec));
  let messages: readonly unknown[] = [];
  for (const length of lengths) {
    const sent = await run.step(length, count);
    messages = sent?.messages ?? [];
    run.observe?.(count(messages));
  }
  return contextText(messages, run.codec);
}

async function printLabels(): Promise<void> {
  const known = await sets();
  const scores = readKey(out).flatMap(({ code, set, contender, budgetTokens }) => {
    const found = known.find(({ name }) => name === set);
    const file = join(out, 'contexts', `${code}.txt`);
    if (!found || !existsSync(file)) return [];
    const name = `${set}, ${contender} at ${budgetTokens / 1_000}k`;
    return [{ ...scoreState(readFileSync(file, 'utf8'), found), set: name }];
  });
  print(stateTable(scores));
}

async function lookUp(code: string, find: (set: ReadingSet) => string): Promise<void> {
  const sheet = readKey(out).find((one) => one.code === code);
  if (!sheet?.withRecall) return print('This sheet has no recall.');
  const log = join(out, 'answers', `${code}.recall.log`);
  const used = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0;
  if (used >= mostUses) return print('All twelve uses are spent.');
  const set = (await sets()).find(({ name }) => name === sheet.set);
  if (!set) return print('The set of this sheet is not there.');
  const text = find(set);
  appendFileSync(log, `${positionals.join(' ')}\n`);
  print(`${truncated(text)}\n(${mostUses - used - 1} uses left)`);
}

/** About 2 000 tokens. */
function truncated(text: string): string {
  const most = mostTokens * 4;
  return text.length <= most ? text : `${text.slice(0, most)}\n[… ${text.length - most} characters more]`;
}

function recalled({ session: { codec, messages } }: ReadingSet, id: string): string {
  return recall(openTranscript({ codec }, messages), id)?.text ?? `There is nothing with the id ${id}.`;
}

function searched({ session: { codec, messages } }: ReadingSet, query: string): string {
  const hits = searchTranscript(openTranscript({ codec }, messages), query, 15);
  return hits.length === 0
    ? 'Nothing found.'
    : hits.map(({ recallId, excerpt }) => `${recallId}: ${excerpt.replaceAll('\n', ' ')}`).join('\n');
}
