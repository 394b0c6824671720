import { keysOf } from '../kit/database.ts';
import { alreadyExists, notFound } from '../kit/failures.ts';
import { searchableText } from './part-text.ts';
import type { MessageEnd, NewMessage, PartMarks, StoredMarks, StoredPart } from '@throughline/ports';
import type { Insertable } from 'kysely';
import type { Schema } from '../kit/schema.ts';
import type { KnownPart, MessageRow } from '../kit/known-rows.ts';
import type { SessionTransaction } from '../kit/session-transactions.ts';

type PartRow = Insertable<Schema['parts']>;

export interface Begun {
  readonly id: string;
  readonly ordinal: number;
}

/** A message that was stored before, elsewhere, with what was known of it there. */
export interface AddedMessage extends NewMessage {
  readonly createdAtMs?: number;
  readonly marks?: readonly StoredMarks[];
}

/** Adds a message at the end of the history, with the parts it has so far. */
export async function appendMessage(work: SessionTransaction, added: AddedMessage): Promise<Begun> {
  const { message, marks = [], isOpen = false } = added;
  const id = message.id === '' ? work.around.ids.nextId('message') : message.id;
  const ordinal = work.count('message_count');
  const row: MessageRow = {
    session_key: work.key,
    ordinal,
    id: id.toWellFormed(),
    role: String(message.role),
    model: added.model ?? null,
    finish_reason: message.finishReason ?? null,
    error: added.error ?? null,
    parent_id: added.parentId ?? null,
    is_open: isOpen ? 1 : 0,
    created_at_ms: wholeNumber(added.createdAtMs) ?? wholeNumber(message.createdAtMs) ?? work.nowMs,
    head: JSON.stringify({ ...message, id, ...(Array.isArray(message.parts) ? { parts: [] } : {}) }),
  };
  if (!(await insertMessage(work, row))) throw alreadyExists('message', id);
  work.known.setMessage(row);
  work.known.setPartCount(ordinal, 0);
  const parts: readonly StoredPart[] = Array.isArray(message.parts) ? message.parts : [];
  for (const [index, part] of parts.entries())
    await insertPart(work, { ordinal, index, part, marks: marks[index], isOpen: false });
  return { id, ordinal };
}

/** @returns whether no other message of the session has its id */
async function insertMessage({ tx }: SessionTransaction, row: MessageRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('messages')
    .values(row)
    .onConflict((known) => known.columns(['session_key', 'id']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}

/** Adds a part to an open message. */
export async function appendPart(
  work: SessionTransaction,
  {
    messageId,
    part,
    marks,
    isOpen = false,
  }: { messageId: string; part: StoredPart; marks?: PartMarks; isOpen?: boolean },
): Promise<void> {
  const { ordinal } = await openMessage(work, messageId);
  const index = work.known.partCount(ordinal) ?? (await partCount(work, ordinal));
  await insertPart(work, { ordinal, index, part, marks, isOpen });
}

async function partCount(work: SessionTransaction, ordinal: number): Promise<number> {
  const last = await work.tx
    .selectFrom('parts')
    .select('part')
    .where('session_key', '=', work.key)
    .where('ordinal', '=', ordinal)
    .orderBy('part', 'desc')
    .limit(1)
    .executeTakeFirst();
  return (last?.part ?? -1) + 1;
}

/** Streamed text is stored piece by piece: the whole is written once, at the end. */
export async function appendText(
  work: SessionTransaction,
  { messageId, part, text }: { messageId: string; part: number; text: string },
): Promise<void> {
  const { key } = await openPart(work, messageId, part);
  await work.tx
    .insertInto('part_texts')
    .values({ part_key: key, text: JSON.stringify(text) })
    .execute();
}

export async function finishPart(
  work: SessionTransaction,
  {
    messageId,
    part,
    content,
    marks,
  }: { messageId: string; part: number; content?: StoredPart; marks?: PartMarks },
): Promise<void> {
  const row = await openPart(work, messageId, part);
  await closePart(work, row, content, marks);
}

export async function finishMessage(
  work: SessionTransaction,
  { messageId, fields, error }: { messageId: string; fields?: MessageEnd; error?: string },
): Promise<void> {
  const row = await openMessage(work, messageId);
  const unfinished = await work.tx
    .selectFrom('parts')
    .selectAll()
    .where('session_key', '=', work.key)
    .where('ordinal', '=', row.ordinal)
    .where('is_open', '=', 1)
    .orderBy('part')
    .execute();
  for (const part of unfinished) await closePart(work, part);
  const { id, role, parts } = JSON.parse(row.head) as { id: string; role: string; parts: unknown };
  // Whatever a caller without types hands in: what the message is stays.
  const head = { ...(JSON.parse(row.head) as object), ...fields, id, role, parts };
  const finished = {
    is_open: 0,
    head: JSON.stringify(head),
    finish_reason: fields?.finishReason ?? row.finish_reason,
    error: error ?? row.error,
  };
  await work.tx
    .updateTable('messages')
    .set(finished)
    .where('session_key', '=', work.key)
    .where('ordinal', '=', row.ordinal)
    .execute();
  work.known.setMessage({ ...row, ...finished });
}

/** The part with what was streamed to it so far. */
export function withStreamed(content: string, texts: readonly string[]): StoredPart {
  const part = JSON.parse(content) as StoredPart;
  if (texts.length === 0 || (part.type !== 'text' && part.type !== 'reasoning')) return part;
  return { ...part, text: part.text + texts.map((text) => JSON.parse(text) as string).join('') };
}

async function closePart(
  work: SessionTransaction,
  row: KnownPart,
  content?: StoredPart,
  marks?: PartMarks,
): Promise<void> {
  const whole = content ?? withStreamed(row.content, await streamedTexts(work, row.key));
  const columns = contentColumns(whole);
  await work.tx.deleteFrom('part_texts').where('part_key', '=', row.key).execute();
  await work.tx
    .updateTable('parts')
    .set({ ...columns, ...(marks && markColumns(marks)), is_open: 0 })
    .where('key', '=', row.key)
    .execute();
  work.known.setPart({ ...row, content: columns.content, is_open: 0 });
  await work.around.textIndex.add(work.tx, row.key, searchableText(whole));
}

async function streamedTexts(work: SessionTransaction, partKey: number): Promise<readonly string[]> {
  const rows = await work.tx
    .selectFrom('part_texts')
    .select('text')
    .where('part_key', '=', partKey)
    .orderBy('key')
    .execute();
  return rows.map(({ text }) => text);
}

async function insertPart(
  work: SessionTransaction,
  {
    ordinal,
    index,
    part,
    marks,
    isOpen,
  }: { ordinal: number; index: number; part: StoredPart; marks: StoredMarks | undefined; isOpen: boolean },
): Promise<void> {
  const key = keysOf(work.row).first + work.count('text_count');
  const row: PartRow = {
    key,
    session_key: work.key,
    ordinal,
    part: index,
    ...contentColumns(part),
    ...markColumns(marks),
    compacted_at_ms: wholeNumber(marks?.compactedAtMs),
    is_open: isOpen ? 1 : 0,
  };
  await work.tx.insertInto('parts').values(row).execute();
  work.known.setPart(row);
  work.known.setPartCount(ordinal, index + 1);
  if (!isOpen) await work.around.textIndex.add(work.tx, key, searchableText(part));
}

function contentColumns(part: StoredPart): Pick<PartRow, 'type' | 'content'> {
  const type: unknown = (part as { readonly type?: unknown } | null)?.type;
  return {
    type: typeof type === 'string' ? type.toWellFormed() : 'unknown',
    content: JSON.stringify(part) ?? 'null',
  };
}

function markColumns(marks: PartMarks = {}): Pick<PartRow, 'is_truncated' | 'is_cancelled'> {
  return {
    is_truncated: marks.isTruncated === true ? 1 : 0,
    is_cancelled: marks.isCancelled === true ? 1 : 0,
  };
}

/** Providers and other tools write anything where a number is meant. */
function wholeNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? Math.round(value) : null;
}

export async function findMessage(work: SessionTransaction, id: string): Promise<MessageRow | undefined> {
  const wanted = id.toWellFormed();
  const known = work.known.message(wanted);
  if (known) return known;
  const row = await work.tx
    .selectFrom('messages')
    .selectAll()
    .where('session_key', '=', work.key)
    .where('id', '=', wanted)
    .executeTakeFirst();
  if (row) work.known.setMessage(row);
  return row;
}

async function openMessage(work: SessionTransaction, id: string): Promise<MessageRow> {
  const row = await findMessage(work, id);
  if (!row || row.is_open === 0) throw notFound('message', id);
  return row;
}

async function openPart(work: SessionTransaction, messageId: string, part: number): Promise<KnownPart> {
  const { ordinal } = await openMessage(work, messageId);
  const row = work.known.part(ordinal, part) ?? (await partRow(work, ordinal, part));
  if (!row || row.is_open === 0) throw notFound('part', `${messageId}.${part}`);
  return row;
}

async function partRow(
  work: SessionTransaction,
  ordinal: number,
  part: number,
): Promise<KnownPart | undefined> {
  const row = await work.tx
    .selectFrom('parts')
    .select(['key', 'ordinal', 'part', 'content', 'is_open'])
    .where('session_key', '=', work.key)
    .where('ordinal', '=', ordinal)
    .where('part', '=', part)
    .executeTakeFirst();
  if (row) work.known.setPart(row);
  return row;
}
