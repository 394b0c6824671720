/**
 * Fits the weights of core's script-aware estimator to o200k and writes them.
 *
 *   node --conditions=throughline-source bench/src/fit-estimator.ts --texts FOLDER [--sessions FOLDER] [--write]
 *
 * FOLDER holds sub-folders named `<kind>-<source>` (`ja-docs`, `code-python`). The first table printed is by
 * cross-validation: every source is measured with weights fitted without it.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildClassCodes, characterClasses } from '@throughline/core/internal';
import { createBpeEstimator } from '@throughline/tokenizers';
import {
  generateTexts,
  minifiedTexts,
  readLocaleTexts,
  readSessionTexts,
  readTextFolders,
} from './estimator/estimator-corpus.ts';
import type { CorpusText } from './estimator/estimator-corpus.ts';

interface Row extends CorpusText {
  readonly tokens: number;
  /** Feature → how often. Features: 0–4095 pairs, 4096–4607 triples. */
  readonly features: ReadonlyMap<number, number>;
}

const { codeOfUnit, codeOfClass } = buildClassCodes();
const triples = 4_096;
const newlineCode = codeOfUnit[10]!;
/** How much a kind counts beside the others (1): the texts that agents really see count most. */
const kindWeights: Readonly<Record<string, number>> = {
  session: 8,
  code: 4,
  en: 3,
  json: 2,
  names: 2,
  zh: 2,
  ja: 2,
  ko: 2,
};
const fewestTokens = 60;
/** No character is free: a megabyte of any one of them costs something. */
const leastTokens = 0.004;
const shrinkage = 1e-3;
const foldCount = 8;
const chunksPerRequest = 8;

function featuresOf(text: string): Map<number, number> {
  const features = new Map<number, number>();
  const add = (feature: number): void => void features.set(feature, (features.get(feature) ?? 0) + 1);
  let previous = newlineCode;
  let groups = (newlineCode >> 3) * 9;
  for (let index = 0; index < text.length; index++) {
    const code = codeOfUnit[text.charCodeAt(index)]!;
    groups = ((groups << 3) | (code >> 3)) & 511;
    add((previous << 6) | code);
    add(triples + groups);
    previous = code;
  }
  return features;
}

/**
 * Non-negative least squares on relative errors, by coordinate descent. `priorOf` is what a weight shrinks to: where
 * the corpus says little about a feature, that is its value.
 */
function solve(
  rows: readonly Row[],
  fold: (feature: number) => number,
  priorOf: (feature: number) => number,
): Map<number, number> {
  const rowsOfKind = new Map<string, number>();
  for (const { kind } of rows) rowsOfKind.set(kind, (rowsOfKind.get(kind) ?? 0) + 1);
  const columnOf = new Map<number, number>();
  const scaled = rows.map(({ kind, tokens, features }) => {
    const scale =
      Math.sqrt((kindWeights[kind] ?? 1) / rowsOfKind.get(kind)!) / Math.max(tokens, fewestTokens);
    const cells = new Map<number, number>();
    for (const [feature, times] of features) {
      const folded = fold(feature);
      if (folded < 0) continue;
      const column = columnOf.get(folded) ?? columnOf.size;
      columnOf.set(folded, column);
      cells.set(column, (cells.get(column) ?? 0) + times * scale);
    }
    return { cells: [...cells], target: tokens * scale };
  });
  const size = columnOf.size;
  const gram = new Float64Array(size * size);
  const moment = new Float64Array(size);
  for (const { cells, target } of scaled) {
    for (const [column, value] of cells) {
      moment[column]! += value * target;
      for (const [other, otherValue] of cells) gram[column * size + other]! += value * otherValue;
    }
  }
  const weights = Float64Array.from(columnOf.keys(), priorOf);
  const floors = Float64Array.from(columnOf.keys(), (feature) => (feature < triples ? leastTokens : 0));
  let trace = 0;
  for (let column = 0; column < size; column++) trace += gram[column * size + column]!;
  const ridge = (shrinkage * trace) / size;
  for (let column = 0; column < size; column++) {
    moment[column]! += ridge * weights[column]!;
    gram[column * size + column]! += ridge;
  }
  for (let round = 0; round < 200; round++) {
    for (let column = 0; column < size; column++) {
      let gradient = moment[column]!;
      const start = column * size;
      for (let other = 0; other < size; other++) gradient -= gram[start + other]! * weights[other]!;
      weights[column] = Math.max(floors[column]!, weights[column]! + gradient / gram[start + column]!);
    }
  }
  return new Map([...columnOf].map(([feature, column]) => [feature, weights[column]!]));
}

/** First what a class costs whatever stands before it, then what pairs and triples add to that. */
function fit(rows: readonly Row[]): Map<number, number> {
  const ofClass = solve(
    rows,
    (feature) => (feature < triples ? feature & 63 : -1),
    () => 0.3,
  );
  const priorOf = (feature: number): number => (feature < triples ? (ofClass.get(feature & 63) ?? 0.5) : 0);
  const fitted = solve(rows, (feature) => feature, priorOf);
  for (const front of codeOfClass) {
    for (const behind of codeOfClass) {
      const feature = (front << 6) | behind;
      if (!fitted.has(feature)) fitted.set(feature, priorOf(feature));
    }
  }
  return fitted;
}

function predict(weights: ReadonlyMap<number, number>, row: Row): number {
  let tokens = 0;
  for (const [feature, times] of row.features) tokens += times * (weights.get(feature) ?? 0);
  return tokens;
}

interface Errors {
  readonly estimate: number[];
  readonly characters: number[];
}

function crossValidate(rows: readonly Row[]): Map<string, Errors> {
  const sources = [...new Set(rows.map(({ source }) => source))].toSorted();
  const errors = new Map<string, Errors>();
  for (let fold = 0; fold < foldCount; fold++) {
    const held = new Set(sources.filter((_, index) => index % foldCount === fold));
    const weights = fit(rows.filter(({ source }) => !held.has(source)));
    for (const source of held) {
      const own = rows.filter((row) => row.source === source);
      for (let start = 0; start < own.length; start += chunksPerRequest) {
        const request = own.slice(start, start + chunksPerRequest);
        const actual = request.reduce((sum, row) => sum + row.tokens, 0);
        const estimate = request.reduce((sum, row) => sum + predict(weights, row), 0);
        const characters = request.reduce((sum, row) => sum + row.text.length, 0) / 4;
        const kind = own[0]!.kind;
        const entry = errors.get(kind) ?? { estimate: [], characters: [] };
        errors.set(kind, entry);
        entry.estimate.push(estimate / actual - 1);
        entry.characters.push(characters / actual - 1);
      }
    }
  }
  return errors;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function printErrors(errors: ReadonlyMap<string, Errors>): void {
  console.log(
    'kind       requests   bias  p50 |e|  p90 |e|   chars/4: bias  p90 |e|   (%, held-out sources)',
  );
  const percent = (value: number): string => (value * 100).toFixed(1).padStart(8);
  for (const [kind, { estimate, characters }] of [...errors].toSorted(([a], [b]) => a.localeCompare(b))) {
    const absolute = estimate.map(Math.abs);
    const cells = [quantile(estimate, 0.5), quantile(absolute, 0.5), quantile(absolute, 0.9)].map(percent);
    const other = [quantile(characters, 0.5), quantile(characters.map(Math.abs), 0.9)].map(percent);
    console.log(kind.padEnd(10), String(estimate.length).padStart(8), ...cells, '     ', ...other);
  }
}

function table(
  names: readonly string[],
  columns: readonly string[],
  cell: (row: number, column: number) => number,
): string {
  const nameWidth = Math.max(...names.map((name) => name.length));
  const widths = columns.map((column) => Math.max(4, column.length));
  const line = (name: string, cells: readonly (string | number)[]): string =>
    [name.padEnd(nameWidth), ...cells.map((value, index) => String(value).padStart(widths[index]!))]
      .join(' ')
      .trimEnd();
  return [
    line('', columns),
    ...names.map((name, row) =>
      line(
        name,
        columns.map((_, column) => Math.round(cell(row, column) * 1_000)),
      ),
    ),
  ].join('\n');
}

function moduleText(weights: ReadonlyMap<number, number>, rows: readonly Row[]): string {
  const groups = ['sym', 'spc', 'dig', 'low', 'cap', 'mk5', 'mk6', 'oth'];
  const names = characterClasses.map(({ name }) => name);
  const short = names.map((name) => name.slice(0, 5));
  const pairs = table(
    names,
    short,
    (row, column) => weights.get((codeOfClass[row]! << 6) | codeOfClass[column]!) ?? 0,
  );
  const pairNames = groups.flatMap((first) => groups.map((second) => `${first}-${second}`));
  const ofTriple = table(pairNames, groups, (row, column) => weights.get(triples + row * 8 + column) ?? 0);
  const tokens = rows.reduce((sum, row) => sum + row.tokens, 0);
  const sources = new Set(rows.map(({ source }) => source)).size;
  return `// Written by bench/src/fit-estimator.ts: do not edit, fit again. Fitted to the o200k counts of ${rows.length} texts from
// ${sources} sources (${(tokens / 1e6).toFixed(1)} million tokens): public recordings of agent sessions, documentation in 18 languages, source code,
// locale data, and generated encodings, numbers, logs and tables. Thousandths of a token.

/** What a character adds: rows are the class of the character before it, columns its own. */
export const pairWeights = \`
${pairs}
\`;

/** What a character adds on top: rows are the groups of the two characters before it, columns its own. */
export const tripleWeights = \`
${ofTriple}
\`;
`;
}

const { values } = parseArgs({
  options: {
    texts: { type: 'string' },
    sessions: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const sessionFolder = values.sessions ?? process.env['THROUGHLINE_SESSIONS'] ?? '../shared/data';
const o200k = await createBpeEstimator('o200k_base');
const folderTexts = values.texts === undefined ? [] : readTextFolders(values.texts);
const texts = [
  ...folderTexts,
  ...minifiedTexts(folderTexts.filter(({ source }) => source.startsWith('code-js'))),
  ...(existsSync(sessionFolder) ? readSessionTexts(sessionFolder) : []),
  ...readLocaleTexts(),
  ...generateTexts(),
];
const rows = texts
  .filter(({ text }) => text.length > 0)
  .map((text): Row => ({ ...text, tokens: o200k.count(text.text), features: featuresOf(text.text) }));
printErrors(crossValidate(rows));
if (values.write) {
  const weightsFile = new URL('../../packages/core/src/tokens/script-aware-weights.ts', import.meta.url);
  writeFileSync(weightsFile, moduleText(fit(rows), rows));
}
