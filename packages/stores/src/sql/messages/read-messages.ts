import { parseState } from '@throughline/core';
import { isRangeChange } from '@throughline/core/internal';
import { sessionRow } from '../kit/session-transactions.ts';
import { withStreamed } from './write-messages.ts';
import type { ContextState } from '@throughline/core';
import type { SessionMessage } from '@throughline/core/codec';
import type { Change } from '@throughline/core/types';
import type { StoredContext, StoredMarks, StoredMessage, StoredPart } from '@throughline/ports';
import type { Selectable } from 'kysely';
import type { Schema, SessionRow, Tx } from '../kit/schema.ts';
import type { KnownChanges } from '../kit/known-rows.ts';

type PartRow = Selectable<Schema['parts']>;

interface Span {
  readonly first: number;
  readonly end: number;
}

/** Rows are garbage as soon as they are messages: so many at once stay cheap to collect. */
const messagesPerRead = 500;

/** Messages `[first, end)` of a session, as they were stored. */
export async function readMessages(
  tx: Tx,
  sessionKey: number,
  { first, end }: Span,
): Promise<readonly StoredMessage[]> {
  const messages: StoredMessage[] = [];
  for (let from = first; from < end; from += messagesPerRead) {
    const span = { first: from, end: Math.min(end, from + messagesPerRead) };
    const read = await readSpan(tx, sessionKey, span);
    if (read.length === 0) break;
    for (const message of read) messages.push(message);
  }
  return messages;
}

async function readSpan(tx: Tx, sessionKey: number, { first, end }: Span): Promise<readonly StoredMessage[]> {
  const heads = await tx
    .selectFrom('messages')
    .selectAll()
    .where('session_key', '=', sessionKey)
    .where('ordinal', '>=', first)
    .where('ordinal', '<', end)
    .orderBy('ordinal')
    .execute();
  const parts = await tx
    .selectFrom('parts')
    .selectAll()
    .where('session_key', '=', sessionKey)
    .where('ordinal', '>=', first)
    .where('ordinal', '<', end)
    .orderBy('ordinal')
    .orderBy('part')
    .execute();
  const streamed = await readStreamed(tx, parts);
  let next = 0;
  return heads.map((head) => {
    const own: PartRow[] = [];
    for (let row = parts[next]; row?.ordinal === head.ordinal; row = parts[next]) {
      own.push(row);
      next += 1;
    }
    return messageOf(head, own, streamed);
  });
}

type Streamed = ReadonlyMap<number, readonly string[]>;

async function readStreamed(tx: Tx, parts: readonly PartRow[]): Promise<Streamed> {
  const streamed = new Map<number, readonly string[]>();
  for (const { key, is_open } of parts) {
    if (is_open === 0) continue;
    const rows = await tx
      .selectFrom('part_texts')
      .select('text')
      .where('part_key', '=', key)
      .orderBy('key')
      .execute();
    streamed.set(
      key,
      rows.map(({ text }) => text),
    );
  }
  return streamed;
}

function messageOf(
  head: Selectable<Schema['messages']>,
  rows: readonly PartRow[],
  streamed: Streamed,
): StoredMessage {
  const stored = JSON.parse(head.head) as SessionMessage;
  const parts: readonly StoredPart[] = rows.map(({ key, content }) =>
    withStreamed(content, streamed.get(key) ?? []),
  );
  const message = Array.isArray(stored.parts) ? { ...stored, parts } : stored;
  return {
    ordinal: head.ordinal,
    message,
    isOpen: head.is_open === 1,
    createdAtMs: head.created_at_ms,
    marks: rows.map(marksOf),
    ...(head.model === null ? {} : { model: head.model }),
    ...(head.error === null ? {} : { error: head.error }),
    ...(head.parent_id === null ? {} : { parentId: head.parent_id }),
  };
}

function marksOf(row: PartRow): StoredMarks {
  return {
    ...(row.is_truncated === 0 ? {} : { isTruncated: true }),
    ...(row.is_cancelled === 0 ? {} : { isCancelled: true }),
    ...(row.compacted_at_ms === null ? {} : { compactedAtMs: row.compacted_at_ms }),
  };
}

/** State, and the messages that the view shows; see `History.context`. */
export async function readContext(
  tx: Tx,
  knownChanges: KnownChanges,
  sessionId: string,
  changes?: readonly Change[],
): Promise<StoredContext> {
  const row = await sessionRow(tx, sessionId);
  const state = await readState(tx, knownChanges, row);
  const messages: StoredMessage[] = [];
  for (const span of shownSpans(changes ?? state?.changes ?? [], row.message_count)) {
    for (const message of await readMessages(tx, row.key, span)) messages.push(message);
  }
  return { state, messages, historyLength: row.message_count };
}

export async function readState(
  tx: Tx,
  knownChanges: KnownChanges,
  row: SessionRow,
): Promise<ContextState | undefined> {
  if (row.state === null) return undefined;
  const rest = JSON.parse(row.state) as object;
  const known = knownChanges.get(row.key, row.state_version);
  if (known) return parseState({ ...rest, changes: known.changes });
  const rows = await tx
    .selectFrom('changes')
    .select('change')
    .where('session_key', '=', row.key)
    .orderBy('position')
    .execute();
  const texts = rows.map(({ change }) => change);
  const changes = texts.map((text) => JSON.parse(text) as Change);
  const state = parseState({ ...rest, changes });
  knownChanges.set(row.key, { version: row.state_version, changes: state.changes, texts });
  return state;
}

/** What no range hides, `lead` and `kept` messages included: as few spans as possible, in order. */
function shownSpans(changes: readonly Change[], length: number): readonly Span[] {
  const ranges = changes
    .filter(isRangeChange)
    .map(({ anchor }) => anchor)
    .toSorted((left, right) => left.first - right.first);
  const spans: { first: number; end: number }[] = [];
  const show = (first: number, end: number): void => {
    const last = spans.at(-1);
    if (end <= first) return;
    if (last && first <= last.end) last.end = Math.max(last.end, end);
    else spans.push({ first, end });
  };
  let shownTo = 0;
  for (const { first, end, lead, kept } of ranges) {
    show(shownTo, Math.min(first, length));
    const stay = [...lead, ...kept].toSorted((left, right) => left - right);
    for (const ordinal of stay) if (ordinal >= shownTo && ordinal < length) show(ordinal, ordinal + 1);
    shownTo = Math.max(shownTo, end);
  }
  show(shownTo, length);
  return spans;
}
