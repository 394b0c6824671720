import { countOf, isObject, objectOf, textOf } from '../../recording/json-value.ts';
import { unknownLinesNote } from '../../source/unreadable.ts';
import { entriesOf, firstKeptIn, itemOf, pathTo } from './entries.ts';
import { piCodec } from './pi-codec.ts';
import type { FormatReading, ReadOptions } from '../../recording/format.ts';
import type {
  LinesDocument,
  RecordedSession,
  RecordedUsage,
  RecordingNote,
} from '../../recording/recording.ts';
import type { PiEntry, PiItem } from './entries.ts';

const entryTypes: ReadonlySet<unknown> = new Set([
  'message',
  'thinking_level_change',
  'model_change',
  'compaction',
  'branch_summary',
  'custom',
  'custom_message',
  'label',
  'session_info',
]);

export function ownsPiLine(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (value['type'] === 'session')
    return textOf(value['id']) !== undefined && typeof value['timestamp'] === 'string';
  if (value['type'] === 'message')
    return textOf(objectOf(value['message'])['role']) !== undefined && !('uuid' in value);
  if (value['type'] === 'summary') return false;
  return entryTypes.has(value['type']) && typeof value['timestamp'] === 'string' && !('payload' in value);
}

const maxArchived = 50;
const maxBranches = 20;

/**
 * Reads a pi session. Active is what pi would send next: the path from the last entry to the root; after a
 * compaction its summary, the messages it kept, and what follows. Archived are the views that compactions replaced;
 * other leaves are branches (at most 20, newest first).
 */
export function readPi(document: LinesDocument, options: ReadOptions): FormatReading {
  const entries = entriesOf(document);
  const leaf = entries.at(-1);
  const header = objectOf(document.lines.find(({ value }) => objectOf(value)['type'] === 'session')?.value);
  const id = textOf(header['id']) ?? 'session';
  const notes = unknownEntries(document);
  if (leaf === undefined) return { sessions: [], notes };
  if (options.isWhole) {
    const items = entries.flatMap((entry) => itemOf(entry) ?? []);
    return { sessions: [sessionOf(items, 'active', id, titleOf(entries))], notes };
  }
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const { entries: path, brokenAt } = pathTo(leaf, byId);
  const sessions = [
    sessionOf(viewOf(path, document), 'active', id, titleOf(entries)),
    ...archivedOf(path, { id, document }),
  ];
  if (brokenAt) notes.push(brokenNote(brokenAt, document));
  return { sessions: [...sessions, ...branchesOf(entries, path, byId, { id, document })], notes };
}

/** What pi sends at the end of a path. */
function viewOf(path: readonly PiEntry[], document: LinesDocument): readonly PiItem[] {
  const compactionAt = lastCompaction(path);
  const compaction = path[compactionAt];
  if (compaction === undefined) return messagesIn(path);
  const kept = path.slice(firstKeptIn(path, compactionAt, document), compactionAt);
  const summary = itemOf(compaction);
  return [
    ...(summary ? [summary] : []),
    ...messagesIn(kept, true),
    ...messagesIn(path.slice(compactionAt + 1)),
  ];
}

function lastCompaction(path: readonly PiEntry[]): number {
  return path.findLastIndex(({ type }) => type === 'compaction');
}

/** The views that compactions replaced, newest first. */
function archivedOf(path: readonly PiEntry[], { id, document }: Context): RecordedSession[] {
  const sessions: RecordedSession[] = [];
  let end = lastCompaction(path);
  while (end > 0 && sessions.length < maxArchived) {
    const before = path.slice(0, end);
    const items = viewOf(before, document);
    if (items.length > 0)
      sessions.push(sessionOf(items, 'archived', `${id}#archived-${sessions.length + 1}`));
    end = lastCompaction(before);
  }
  return sessions;
}

interface Context {
  readonly id: string;
  readonly document: LinesDocument;
}

/** The messages of entries; only the newest compaction is part of a view. */
function messagesIn(entries: readonly PiEntry[], isKept = false): PiItem[] {
  return entries.flatMap((entry) => (entry.type === 'compaction' ? [] : (itemOf(entry, isKept) ?? [])));
}

function branchesOf(
  entries: readonly PiEntry[],
  path: readonly PiEntry[],
  byId: ReadonlyMap<string, PiEntry>,
  { id, document }: Context,
): RecordedSession[] {
  const seen = new Set(path);
  const parents = new Set(entries.map(({ parent }) => parent));
  const sessions: RecordedSession[] = [];
  for (const entry of entries.toReversed()) {
    if (sessions.length === maxBranches) break;
    if (seen.has(entry) || parents.has(entry.id)) continue;
    const branch = pathTo(entry, byId).entries;
    if (!branch.some((one) => !seen.has(one) && itemOf(one) !== undefined)) continue;
    for (const one of branch) seen.add(one);
    sessions.push(sessionOf(viewOf(branch, document), 'branch', `${id}#branch-${sessions.length + 1}`));
  }
  return sessions;
}

function sessionOf(
  items: readonly PiItem[],
  kind: RecordedSession['kind'],
  id: string,
  title?: string,
): RecordedSession {
  const model = textOf(
    items.findLast(({ message }) => textOf(message['model']) !== undefined)?.message['model'],
  );
  return {
    id,
    kind,
    codec: piCodec,
    messages: items.map(({ message }) => message),
    origins: items.map(({ origin }) => origin),
    usage: items.flatMap(usageOf),
    holdsWholePrompt: false,
    ...(title === undefined ? {} : { title }),
    ...(model === undefined ? {} : { model }),
  };
}

function usageOf({ message, isKept }: PiItem, messageIndex: number): RecordedUsage[] {
  const usage = objectOf(message['usage']);
  if (isKept || message['role'] !== 'assistant' || message['stopReason'] === 'error') return [];
  const cacheReadTokens = countOf(usage['cacheRead']);
  const cacheWriteTokens = countOf(usage['cacheWrite']);
  const inputTokens = countOf(usage['input']) + cacheReadTokens + cacheWriteTokens;
  if (inputTokens === 0) return [];
  const model = textOf(message['model']);
  const counted = {
    messageIndex,
    inputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: countOf(usage['output']),
  };
  return [model === undefined ? counted : { ...counted, model }];
}

function titleOf(entries: readonly PiEntry[]): string | undefined {
  return textOf(entries.findLast(({ type }) => type === 'session_info')?.value['name']);
}

function unknownEntries(document: LinesDocument): RecordingNote[] {
  const strange = document.lines.filter(({ value }) => !ownsPiLine(value));
  const [first] = strange;
  if (first === undefined) return [];
  return [
    {
      line: first.number,
      note: unknownLinesNote(strange.length),
    },
  ];
}

function brokenNote(entry: PiEntry, document: LinesDocument): RecordingNote {
  const line = document.lines[entry.line]?.number;
  const note = `its parent ${entry.parent ?? ''} is not in the file; the conversation is read from here on`;
  return line === undefined ? { note } : { line, note };
}
