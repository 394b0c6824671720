/**
 * M13: how far estimates lie from what providers counted.
 *
 *   node --conditions=throughline-source bench/src/estimator.ts [FOLDER] [--bpe]
 *
 * Reads every recorded session under FOLDER (default `../shared/data`, or THROUGHLINE_SESSIONS), compares the estimate
 * of each request with its recorded usage, and prints a table; `bench/reports/estimator.json` holds the same.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { countText, findModel, measureEntry, mediaPricings, scriptAwareEstimator } from '@throughline/core';
import {
  charactersEstimator,
  countTools,
  defaultMediaPricing,
  observe,
  startCalibration,
  calibratedTokens,
  tokenizerSlope,
  uncalibrated,
} from '@throughline/core/internal';
import type { Estimator } from '@throughline/core';
import { readRecording } from '@throughline/importers';
import type { RecordedSession } from '@throughline/importers';
import { createBpeEstimator } from '@throughline/tokenizers';
import { measureAdversarial } from './estimator/estimator-adversarial.ts';

const firstCalls = 3;
const underShare = 0.1;

interface Request {
  readonly estimateTokens: number;
  readonly actualTokens: number;
  readonly model: string;
}

interface SessionErrors {
  readonly session: string;
  readonly model: string;
  readonly language: string;
  readonly content: string;
  readonly holdsWholePrompt: boolean;
  readonly requests: number;
  /** Signed shares: estimate ÷ actual − 1. Before any call: the estimate times what the model's tokenizer is known for. */
  readonly before: readonly number[];
  /** The line of the first three calls, kept. */
  readonly afterFirstCalls: readonly number[];
  /** The line learns from every call and predicts the next. */
  readonly running: readonly number[];
  /** The last usage plus the estimate of what is new, as the engine's token scale has it. */
  readonly twoTier: readonly number[];
}

function* filesUnder(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesUnder(path);
    else if (/\.(jsonl?|traj|eval)$/.test(entry.name)) yield path;
  }
}

function requestsOf(session: RecordedSession, estimator: Estimator): Request[] {
  const model = session.usage.find((usage) => usage.model !== undefined)?.model ?? session.model ?? '';
  const family = findModel(model)?.entry.media;
  const media = family ? mediaPricings[family] : defaultMediaPricing;
  const fixed = countText(session.system ?? '', estimator) + countTools(session.tools ?? [], estimator);
  const upTo = [fixed];
  for (const [ordinal, message] of session.messages.entries()) {
    const entry = session.codec.decode(message as never, ordinal);
    upTo.push(upTo[ordinal]! + measureEntry(entry, { estimator, media }).tokens);
  }
  const requests: Request[] = [];
  for (const usage of session.usage) {
    const estimateTokens = upTo[usage.messageIndex];
    if (estimateTokens === undefined || estimateTokens <= 0 || !(usage.inputTokens > 0)) continue;
    requests.push({ estimateTokens, actualTokens: usage.inputTokens, model: usage.model ?? model });
  }
  return requests;
}

function errorsOf(
  requests: readonly Request[],
): Pick<SessionErrors, 'before' | 'afterFirstCalls' | 'running' | 'twoTier'> {
  const windowTokens = findModel(requests[0]?.model ?? '')?.entry.windowTokens ?? 200_000;
  const before: number[] = [];
  const afterFirstCalls: number[] = [];
  const running: number[] = [];
  const twoTier: number[] = [];
  const tokenizer = findModel(requests[0]?.model ?? '')?.entry.tokenizer;
  const start = tokenizer ? startCalibration(tokenizerSlope(tokenizer)) : uncalibrated;
  let learning = start;
  let kept = start;
  for (const [index, request] of requests.entries()) {
    const { estimateTokens, actualTokens } = request;
    const share = (tokens: number): number => tokens / actualTokens - 1;
    before.push(share(calibratedTokens(start, estimateTokens)));
    const last = requests[index - 1];
    if (index >= firstCalls && last) {
      afterFirstCalls.push(share(calibratedTokens(kept, estimateTokens)));
      running.push(share(calibratedTokens(learning, estimateTokens)));
      // After a cut of the history the last usage says nothing: the line alone.
      const grown = estimateTokens - last.estimateTokens;
      const isContinued = grown >= 0 && last.actualTokens <= actualTokens * 1.5;
      twoTier.push(
        share(
          isContinued ? last.actualTokens + learning.a * grown : calibratedTokens(learning, estimateTokens),
        ),
      );
    }
    learning = observe(learning, { estimateTokens, actualTokens, windowTokens });
    if (index < firstCalls) kept = learning;
  }
  return { before, afterFirstCalls, running, twoTier };
}

/** What the text of a session mostly is, by its characters. */
function describe(session: RecordedSession): { readonly language: string; readonly content: string } {
  let han = 0;
  let kana = 0;
  let cyrillic = 0;
  let results = 0;
  let all = 0;
  let images = 0;
  for (const [ordinal, message] of session.messages.entries()) {
    for (const part of session.codec.decode(message as never, ordinal).parts) {
      const pieces = part.type === 'result' ? part.pieces : [part];
      for (const piece of pieces) {
        if (piece.type === 'media') images++;
        if (piece.type !== 'text' && piece.type !== 'reasoning') continue;
        all += piece.text.length;
        if (part.type === 'result') results += piece.text.length;
        han += (piece.text.match(/[\u4e00-\u9fff]/g) ?? []).length;
        kana += (piece.text.match(/[\u3040-\u30ff]/g) ?? []).length;
        cyrillic += (piece.text.match(/[\u0400-\u04ff]/g) ?? []).length;
      }
    }
  }
  const language =
    kana > all * 0.02
      ? 'Japanese'
      : han > all * 0.05
        ? 'Chinese'
        : cyrillic > all * 0.1
          ? 'Russian'
          : 'English';
  const content = images > 0 ? 'images' : results > all * 0.5 ? 'tool output' : 'dialogue';
  return { language, content };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

interface Row {
  readonly name: string;
  readonly requests: number;
  readonly bias: number;
  readonly before: readonly [number, number];
  readonly first: readonly [number, number];
  readonly running: readonly [number, number];
  readonly twoTier: readonly [number, number];
  readonly under: number;
}

function rowOf(name: string, sessions: readonly SessionErrors[]): Row {
  const all = (key: 'before' | 'afterFirstCalls' | 'running' | 'twoTier'): number[] =>
    sessions.flatMap((s) => [...s[key]]);
  const both = (values: readonly number[]): readonly [number, number] => {
    const absolute = values.map(Math.abs);
    return [quantile(absolute, 0.5), quantile(absolute, 0.9)];
  };
  const twoTier = all('twoTier');
  return {
    name,
    requests: all('before').length,
    bias: quantile(all('before'), 0.5),
    before: both(all('before')),
    first: both(all('afterFirstCalls')),
    running: both(all('running')),
    twoTier: both(twoTier),
    under: all('running').filter((error) => error < -underShare).length / Math.max(1, all('running').length),
  };
}

function printRows(title: string, rows: readonly Row[]): void {
  const percent = (value: number): string =>
    (Number.isNaN(value) ? '–' : (value * 100).toFixed(1)).padStart(6);
  console.log(`\n${title}`);
  console.log(
    `${''.padEnd(46)}  calls |   bias before: p50    p90 | first 3: p50  p90 | running: p50  p90 | 2-tier: p50   p90 | under >10 %`,
  );
  for (const row of rows) {
    const cells = [row.before, row.first, row.running, row.twoTier].map(
      ([middle, high]) => `${percent(middle)} ${percent(high)}`,
    );
    console.log(
      `${row.name.slice(0, 46).padEnd(46)} ${String(row.requests).padStart(6)} | ${percent(row.bias)}      ${cells[0]} |     ${cells[1]} |     ${cells[2]} |    ${cells[3]} | ${percent(row.under)}`,
    );
  }
}

function grouped(sessions: readonly SessionErrors[], key: (session: SessionErrors) => string): Row[] {
  const groups = Map.groupBy(sessions, key);
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, members]) => rowOf(name, members));
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { bpe: { type: 'boolean', default: false } },
});
const folder = positionals[0] ?? process.env['THROUGHLINE_SESSIONS'] ?? '../shared/data';
const o200k = await createBpeEstimator('o200k_base');
const estimators: readonly Estimator[] = [
  scriptAwareEstimator,
  charactersEstimator,
  ...(values.bpe ? [o200k] : []),
];
const report: Record<string, unknown> = {};

if (!existsSync(folder))
  console.log(`No recorded sessions in ${folder}: only the adversarial set is measured.`);
for (const estimator of estimators) {
  const sessions: SessionErrors[] = [];
  for (const file of existsSync(folder) ? filesUnder(folder) : []) {
    try {
      const recording = await readRecording(file);
      for (const [number, session] of recording.sessions.entries()) {
        const requests = requestsOf(session, estimator);
        if (requests.length === 0) continue;
        const name = `${basename(dirname(file))}/${basename(file).slice(0, 26)}${number > 0 ? `#${number}` : ''}`;
        const { holdsWholePrompt } = session;
        sessions.push({
          session: name,
          model: requests[0]!.model,
          ...describe(session),
          holdsWholePrompt,
          requests: requests.length,
          ...errorsOf(requests),
        });
      }
    } catch (error) {
      if (estimator === scriptAwareEstimator)
        console.log(`${relative(folder, file)}: ${(error as Error).message}`);
    }
  }
  const whole = (session: SessionErrors): string =>
    session.holdsWholePrompt ? 'whole prompt in the log' : 'system and tools not in the log';
  const rows = {
    bySession: sessions.map((session) =>
      rowOf(`${session.holdsWholePrompt ? '*' : ' '} ${session.session}`, [session]),
    ),
    byPrompt: grouped(sessions, whole),
    byLanguage: grouped(sessions, (session) => session.language),
    byContent: grouped(sessions, (session) => session.content),
    byModel: grouped(sessions, (session) => session.model),
  };
  report[estimator.name] = rows;
  printRows(
    `${estimator.name}: per session (* = the log holds the whole prompt), |error| in %`,
    rows.bySession,
  );
  printRows('by prompt', rows.byPrompt);
  printRows('by language', rows.byLanguage);
  printRows('by content', rows.byContent);
  printRows('by model', rows.byModel);
}

const adversarial = measureAdversarial([scriptAwareEstimator, o200k]);
report['adversarial'] = adversarial;
console.log(
  '\nadversarial set, 1 MB each      o200k tokens | script-aware: error %   ms per MB | o200k: ms per MB',
);
for (const row of adversarial) {
  console.log(
    `${row.name.padEnd(30)} ${String(Math.round(row.exactTokens)).padStart(13)} | ${(row.error * 100).toFixed(1).padStart(20)} ${row.heuristicMs.toFixed(1).padStart(11)} | ${row.bpeMs.toFixed(1).padStart(16)}`,
  );
}
const reports = fileURLToPath(new URL('../reports/', import.meta.url));
mkdirSync(reports, { recursive: true });
writeFileSync(join(reports, 'estimator.json'), `${JSON.stringify(report, null, 2)}\n`);
