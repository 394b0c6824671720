import { oneLine } from '../text/cut-text.ts';
import { describeCall } from './calls.ts';
import { isMasked, quotedText } from './command-key.ts';
import { resultText } from '../transcript/entry-text.ts';
import type { CallPart, RecallId, ResultPart } from '../transcript/entry.ts';
import type { ChangedFile, ChangedSince, LastCommit } from '../transcript/summary.ts';

export type KnownCommit = Omit<LastCommit, 'changed'>;

const commits = /\bgit (?:-[cC] \S{1,200} )?commit\b(?!-)/;
// What brings files back or takes them away: what was changed before says nothing about the working tree any more.
const takesBack = /\bgit (?:-[cC] \S{1,200} )?(?:checkout|switch|restore|reset|stash|clean|revert)\b/;
const printedCommit = /^\[[^\]\n]{1,200} [0-9a-f]{7,40}\] [^\n]{1,200}$/m;
const longestCommand = 20_000;
const lineCharacters = 140;

/** The last commit after a call that did not fail; what was known before it where it is none. */
export function commitAfter(
  call: CallPart,
  result: ResultPart,
  recallId: RecallId,
  known: KnownCommit | undefined,
): KnownCommit | undefined {
  const { kind, command } = describeCall(call);
  if (kind !== 'command' || command === undefined || !command.includes('git ')) return known;
  const plain = command.slice(0, longestCommand).replace(quotedText, '""');
  const found = commits.exec(plain);
  const line = found ? printedCommit.exec(resultText(result))?.[0] : undefined;
  if (found && (line !== undefined || !isMasked(plain, found.index + found[0].length)))
    return { recallId, line: oneLine(line ?? '', lineCharacters), since: recallId };
  return known && takesBack.test(plain) ? { ...known, since: recallId } : known;
}

// Nothing is built from them, and no test runs them.
const isProse = /\.(?:mdx?|txt|rst|adoc|log|png|jpe?g|gif|svg|pdf)$/i;

/** What was edited behind a message, but for documents. */
export function sourcesChangedSince(
  recallId: RecallId,
  files: Iterable<ChangedFile>,
): ChangedSince | undefined {
  const changed = behind(recallId, files).filter(({ path }) => !isProse.test(path));
  const last = changed.at(-1);
  return last && { files: changed.length, last: last.recallId };
}

// Files outside a project are never committed.
const isOutside = /^(?:\/tmp\/|\/var\/|\/private\/)/;
const mostPaths = 3;

/** The commit with the files that were edited behind it, the newest of them. */
export function withChanged(commit: KnownCommit, files: Iterable<ChangedFile>): LastCommit {
  const { recallId, line, since } = commit;
  const changed = behind(since, files).filter(({ path }) => !isOutside.test(path));
  return { recallId, line, since, changed: changed.slice(-mostPaths).map(({ path }) => path) };
}

function behind(recallId: RecallId, files: Iterable<ChangedFile>): ChangedFile[] {
  const ordinal = ordinalOf(recallId);
  return [...files].filter((file) => ordinalOf(file.recallId) > ordinal);
}

function ordinalOf(recallId: RecallId): number {
  return Number(recallId.slice(1));
}
