import { countOf, isObject, objectOf, textOf, timeOf } from '../../recording/json-value.ts';
import type { WireObject } from '../../recording/json-value.ts';
import type { LinesDocument, Origin } from '../../recording/recording.ts';

/** One line of a pi session after the header. */
export interface PiEntry {
  /** Index into the document's lines. */
  readonly line: number;
  readonly id: string;
  readonly parent: string | undefined;
  readonly type: string;
  readonly value: WireObject;
}

/** A message as pi's agent holds it, and its place in the file. */
export interface PiItem {
  readonly message: WireObject;
  readonly origin: Origin;
  readonly line: number;
  /** Stands before a compaction that kept it: what was measured for it had a longer prompt. */
  readonly isKept: boolean;
}

/** The entries of a session; those of version 1, which has no ids, follow each other. */
export function entriesOf(document: LinesDocument): PiEntry[] {
  const entries: PiEntry[] = [];
  for (const [line, { value }] of document.lines.entries()) {
    const type = isObject(value) ? textOf(value['type']) : undefined;
    if (type === undefined || type === 'session' || !isObject(value)) continue;
    const ownId = textOf(value['id']);
    const parent = ownId === undefined ? entries.at(-1)?.id : textOf(value['parentId']);
    entries.push({ line, id: ownId ?? `line-${line}`, parent, type, value });
  }
  return entries;
}

/** The entry's message as it goes to the model; `undefined` for entries that are none. */
export function itemOf(entry: PiEntry, isKept = false): PiItem | undefined {
  const message = messageReaders.get(entry.type)?.(entry.value);
  if (message === undefined || !isSent(message)) return undefined;
  const at = entry.type === 'message' ? ['message'] : [];
  return { message, origin: { type: 'line', line: entry.line, at }, line: entry.line, isKept };
}

const messageReaders: ReadonlyMap<string, (value: WireObject) => WireObject | undefined> = new Map([
  ['message', ({ message }: WireObject) => (isObject(message) ? message : undefined)],
  [
    'custom_message',
    ({ customType, content, display, details, timestamp }: WireObject) => ({
      role: 'custom',
      customType,
      content,
      display,
      ...(details === undefined ? {} : { details }),
      timestamp: timeOf(timestamp) ?? 0,
    }),
  ],
  [
    'branch_summary',
    ({ summary, fromId, timestamp }: WireObject) =>
      textOf(summary) && { role: 'branchSummary', summary, fromId, timestamp: timeOf(timestamp) ?? 0 },
  ],
  [
    'compaction',
    ({ summary, tokensBefore, timestamp }: WireObject) => ({
      role: 'compactionSummary',
      summary: textOf(summary) ?? '',
      tokensBefore: countOf(tokensBefore),
      timestamp: timeOf(timestamp) ?? 0,
    }),
  ],
] as [string, (value: WireObject) => WireObject | undefined][]);

/** Left out before a send: commands the user kept to himself, and answers that failed or were aborted. */
function isSent(message: WireObject): boolean {
  if (message['role'] === 'bashExecution') return message['excludeFromContext'] !== true;
  const isFailed = message['stopReason'] === 'error' || message['stopReason'] === 'aborted';
  return !(message['role'] === 'assistant' && isFailed);
}

interface PiPath {
  readonly entries: readonly PiEntry[];
  readonly brokenAt: PiEntry | undefined;
}

/** The entries from the leaf back to the root, oldest first. */
export function pathTo(leaf: PiEntry, byId: ReadonlyMap<string, PiEntry>): PiPath {
  const entries: PiEntry[] = [];
  const seen = new Set<PiEntry>();
  let current: PiEntry | undefined = leaf;
  let brokenAt: PiEntry | undefined;
  while (current !== undefined && !seen.has(current)) {
    seen.add(current);
    entries.push(current);
    const next: PiEntry | undefined = current.parent === undefined ? undefined : byId.get(current.parent);
    if (current.parent !== undefined && next === undefined) brokenAt = current;
    current = next;
  }
  return { entries: entries.toReversed(), brokenAt };
}

/** The first entry that a compaction kept, as a position in the path; its own position when it kept none. */
export function firstKeptIn(path: readonly PiEntry[], compactionAt: number, document: LinesDocument): number {
  const value = path[compactionAt]?.value ?? {};
  const id = textOf(value['firstKeptEntryId']);
  if (id !== undefined)
    return found(
      path.findIndex((entry) => entry.id === id),
      compactionAt,
    );
  const index = value['firstKeptEntryIndex'];
  if (typeof index !== 'number') return compactionAt;
  // Version 1 counts the lines of the file, the header included.
  const values = document.lines.filter(({ value: line }) => typeof objectOf(line)['type'] === 'string');
  const line = values[index];
  return found(
    path.findIndex((entry) => document.lines[entry.line] === line),
    compactionAt,
  );
}

function found(at: number, end: number): number {
  return at >= 0 && at < end ? at : end;
}
