import { closeSync, readFileSync } from 'node:fs';
import { basename, matchesGlob } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { isPrivateName } from '../guard/guarded-names.ts';
import { openFound, walkFiles } from './walk-files.ts';
import type { SearchJob, SearchMessage } from './run-search.ts';
import type { FoundFile, WalkCount } from './walk-files.ts';

/*
 * Runs one search in a thread of its own: a regular expression or a glob of the model may take for ever, and a thread
 * can be ended. Uses nothing but Node, so that it starts quickly, from source as from the built package.
 */

const ignoredFolders = new Set(['.git', 'node_modules']);
const maxEntries = 500_000;
const maxFileBytes = 8 * 1024 * 1024;
const maxToldPrivate = 5;
const binaryBytes = 8 * 1024;

const job: SearchJob = workerData;
const found: string[] = [];
let matches = 0;
let skippedLarge = 0;
const skippedPrivate: string[] = [];

try {
  search();
} catch (error) {
  tell({ type: 'wrong', message: error instanceof Error ? error.message : String(error) });
}

function search(): void {
  const count: WalkCount = { entries: 0, isStopped: false };
  const look = job.type === 'grep' ? grepper() : globber();
  for (const file of filesOf(count)) {
    look(file);
    if (matches >= job.maxMatches) break;
  }
  flush();
  const isFull = matches >= job.maxMatches;
  const stopped = isFull
    ? { stopped: 'matches' as const }
    : count.isStopped
      ? { stopped: 'entries' as const }
      : {};
  tell({ type: 'end', matches, skippedLarge, skippedPrivate, ...stopped });
}

function filesOf(count: WalkCount): Iterable<FoundFile> {
  const { base, byHandle, fileName, includeIgnored, secrets } = job;
  if (fileName !== undefined) return [{ path: fileName, openPath: base }];
  const skipped = includeIgnored ? new Set<string>() : ignoredFolders;
  return walkFiles({ base, byHandle, skipped, secrets: new Set(secrets), maxEntries }, count);
}

/** A glob without a slash is about the name, in whatever folder. */
function globOf(glob: string): (path: string) => boolean {
  const pattern = glob.includes('/') ? glob.replace(/^(\.?\/)+/, '') : `**/${glob}`;
  return (path) => matchesGlob(path, pattern);
}

function globber(): (file: FoundFile) => void {
  const isWanted = globOf(job.pattern);
  return ({ path }) => {
    if (isWanted(path)) addMatch(path);
  };
}

function grepper(): (file: FoundFile) => void {
  const expression = expressionOf(job.pattern, job.ignoreCase === true);
  const isWanted = job.fileGlob === undefined ? () => true : globOf(job.fileGlob);
  return (file) => {
    if (!isWanted(file.path) || isPassedOver(file.path)) return;
    const text = textOf(file);
    if (text !== undefined) grepText(file.path, text, expression);
  };
}

/** What may hold secrets is searched when it is named, and then somebody was asked. */
function isPassedOver(path: string): boolean {
  if (job.fileName !== undefined || !isPrivateName(basename(path), job.privateFiles)) return false;
  if (skippedPrivate.length < maxToldPrivate) skippedPrivate.push(path);
  return true;
}

/** Unicode where the pattern allows it: `.` is then a character and not half of one. */
function expressionOf(pattern: string, ignoreCase: boolean): RegExp {
  const flags = ignoreCase ? 'i' : '';
  try {
    return new RegExp(pattern, `u${flags}`);
  } catch {
    return new RegExp(pattern, flags);
  }
}

function textOf(file: FoundFile): string | undefined {
  const opened = openFound(file);
  if (!opened) return undefined;
  try {
    if (opened.sizeBytes > maxFileBytes) {
      skippedLarge += 1;
      return undefined;
    }
    const bytes = readFileSync(opened.handle);
    return bytes.subarray(0, binaryBytes).includes(0) ? undefined : bytes.toString('utf8');
  } catch {
    return undefined;
  } finally {
    closeSync(opened.handle);
  }
}

function grepText(path: string, text: string, expression: RegExp): void {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const around = job.contextLines ?? 0;
  let shownUpTo = 0;
  for (const [index, line] of lines.entries()) {
    if (!expression.test(line)) continue;
    if (job.filesOnly === true) return addMatch(path);
    const first = Math.max(shownUpTo, index - around);
    if (around > 0 && shownUpTo > 0 && first > shownUpTo) found.push('--');
    for (let before = first; before < index; before += 1) found.push(lineOf(path, before, lines, '-'));
    // A match that an earlier one already showed as its context is shown again, as a match.
    addMatch(lineOf(path, index, lines, ':'));
    shownUpTo = index + 1;
    if (matches >= job.maxMatches) return;
    for (; shownUpTo < Math.min(lines.length, index + 1 + around); shownUpTo += 1) {
      const after = lines[shownUpTo] ?? '';
      if (expression.test(after)) break;
      found.push(lineOf(path, shownUpTo, lines, '-'));
    }
  }
}

function lineOf(path: string, index: number, lines: readonly string[], sign: string): string {
  const line = lines[index] ?? '';
  const shown =
    line.length <= job.maxLineLength
      ? line
      : `${line.slice(0, job.maxLineLength).toWellFormed()} [… line cut, it has ${line.length} characters …]`;
  return `${path}${sign}${index + 1}${sign}${shown}`;
}

function addMatch(line: string): void {
  found.push(line);
  matches += 1;
  if (found.length >= 50) flush();
}

function flush(): void {
  if (found.length > 0) tell({ type: 'lines', lines: found.splice(0), matches });
}

function tell(message: SearchMessage): void {
  parentPort?.postMessage(message);
}
