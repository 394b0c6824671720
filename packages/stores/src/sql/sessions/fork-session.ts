import { setImmediate as giveWay } from 'node:timers/promises';
import { ContextError } from '@throughline/core';
import { sessionRow, SessionTransaction } from '../kit/session-transactions.ts';
import { addOutput, sweepBlobs } from '../messages/attachments.ts';
import { readMessages } from '../messages/read-messages.ts';
import { textOfBytes } from '../messages/search.ts';
import { appendMessage } from '../messages/write-messages.ts';
import { writeState } from '../runs/write-state.ts';
import { insertSession, requireFree, sweepSession } from './session-rows.ts';
import type { Checkpoint } from '@throughline/core';
import type { BlobStore, Fork, StoredMessage } from '@throughline/ports';
import type { SessionRow, Tx } from '../kit/schema.ts';
import type { SessionTransactions } from '../kit/session-transactions.ts';

/** Messages that are copied in one transaction: short enough that nobody waits for the next one. */
const messagesPerWrite = 200;
/** How long nobody takes the hidden session for one that was left behind, after each transaction. */
const mostWaitMs = 600_000;

/** A copy that nobody sees yet. */
interface Copy {
  readonly key: number;
  readonly id: string;
  readonly sourceId: string;
  /** Calls whose results were copied: their whole outputs come along. */
  readonly calls: Set<string>;
}

/**
 * A session with the beginning of another. It grows out of sight, some messages at a time, and is seen once it is
 * whole; where that fails, or the process dies, it is swept. The history it copies is never changed, so it may be copied
 * while a run goes on.
 */
export async function forkSession(
  transactions: SessionTransactions,
  blobs: BlobStore,
  sourceId: string,
  fork: Fork,
): Promise<SessionRow> {
  const copy = await transactions.database.write((tx) => begin(tx, transactions, sourceId, fork));
  try {
    for (let first = 0; first < fork.end; first += messagesPerWrite) {
      const end = Math.min(fork.end, first + messagesPerWrite);
      await changeCopy(transactions, copy, (work, source) =>
        copyMessages(work, source, { first, end, copy }),
      );
      await giveWay();
    }
    await copyOutputs(transactions, blobs, copy);
    return await show(transactions, copy, fork);
  } catch (error) {
    await sweepSession(transactions, copy.key);
    await sweepBlobs(transactions.database, blobs);
    throw error;
  }
}

async function begin(
  tx: Tx,
  { around }: SessionTransactions,
  sourceId: string,
  { id, title, end }: Fork,
): Promise<Copy> {
  const source = await sessionRow(tx, sourceId);
  if (!Number.isSafeInteger(end) || end < 0 || end > source.message_count) {
    const expected = `a whole number from 0 to ${source.message_count}`;
    throw new ContextError('invalid-option', `The end of a fork must be ${expected}.`, {
      option: 'end',
      expected,
      received: end,
    });
  }
  const { owner, folder } = source;
  const kept = title === undefined ? source.title : title;
  const row = await insertSession(tx, around, {
    owner,
    folder,
    ...(id === undefined ? {} : { id }),
    ...(kept === null ? {} : { title: kept }),
    ...(source.model === null ? {} : { model: source.model }),
  });
  await tx
    .updateTable('sessions')
    .set({
      is_hidden: 1,
      lease_owner: 'fork',
      lease_expires_at_ms: around.clock.nowMs() + mostWaitMs,
      parent_id: sourceId,
      forked_at: end,
      family: source.family,
    })
    .where('key', '=', row.key)
    .execute();
  return { key: row.key, id: row.id, sourceId, calls: new Set() };
}

/** A source that was deleted meanwhile ends it: what it refers to may be gone. */
async function changeCopy(
  transactions: SessionTransactions,
  { key, sourceId }: Copy,
  change: (work: SessionTransaction, source: SessionRow) => Promise<void>,
): Promise<void> {
  await transactions.database.write(async (tx) => {
    const source = await sessionRow(tx, sourceId);
    const work = await SessionTransaction.openHidden(tx, transactions.around, key);
    work.set({ lease_expires_at_ms: work.nowMs + mostWaitMs });
    await change(work, source);
    await work.save();
  });
}

async function copyMessages(
  work: SessionTransaction,
  source: SessionRow,
  { first, end, copy }: { readonly first: number; readonly end: number; readonly copy: Copy },
): Promise<void> {
  const messages = await readMessages(work.tx, source.key, { first, end });
  const hashes = new Set<string>();
  for (const { ordinal: _, marks, ...stored } of messages) {
    // Since when something stands in the place of a part follows from the state of the copy.
    const own = marks.map(({ compactedAtMs: _at, ...mark }) => mark);
    await appendMessage(work, { ...stored, marks: own });
    for (const call of resultsOf(stored)) copy.calls.add(call);
    for (const [, hash] of JSON.stringify(stored.message).matchAll(/@blob:([0-9a-f]{64})/g))
      if (hash !== undefined) hashes.add(hash);
  }
  await referTo(work, source, [...hashes]);
}

function resultsOf({ message: { parts } }: Pick<StoredMessage, 'message'>): readonly string[] {
  if (!Array.isArray(parts)) return [];
  return (parts as readonly ({ type?: unknown; callId?: unknown } | null)[]).flatMap((part) =>
    part?.type === 'result' && typeof part.callId === 'string' ? [part.callId] : [],
  );
}

/** As far as the source refers to them. */
async function referTo(
  { tx, key }: SessionTransaction,
  source: SessionRow,
  hashes: readonly string[],
): Promise<void> {
  if (hashes.length === 0) return;
  const known = await tx
    .selectFrom('session_blobs')
    .selectAll()
    .where('session_key', '=', source.key)
    .where('hash', 'in', hashes)
    .execute();
  for (const row of known) {
    await tx
      .insertInto('session_blobs')
      .values({ ...row, session_key: key })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Whole outputs keep their numbers: the texts that name them are the same. */
async function copyOutputs(transactions: SessionTransactions, blobs: BlobStore, copy: Copy): Promise<void> {
  const outputs = await transactions.read(copy.sourceId, (tx, source) =>
    tx
      .selectFrom('outputs')
      .select(['number', 'call_id', 'hash', 'created_at_ms'])
      .where('session_key', '=', source.key)
      .orderBy('number')
      .execute(),
  );
  for (const output of outputs) {
    if (!copy.calls.has(output.call_id)) continue;
    // Read outside of a transaction: nobody waits for it.
    const bytes = await blobs.get(output.hash);
    await changeCopy(transactions, copy, async (work, source) => {
      await referTo(work, source, [output.hash]);
      work.set({ output_count: output.number + 1 });
      await addOutput(work, output, bytes ? textOfBytes(bytes) : '');
    });
  }
}

async function show(transactions: SessionTransactions, copy: Copy, fork: Fork): Promise<SessionRow> {
  await changeCopy(transactions, copy, async (work, source) => {
    await requireFree(work.tx, copy.id);
    await copyCheckpoints(work, source, fork.end);
    if (fork.state) await writeState(work, fork.state);
    for (const [name, value] of Object.entries(fork.values ?? {})) {
      await work.tx
        .insertInto('session_values')
        .values({ session_key: work.key, name, value: JSON.stringify(value) })
        .execute();
    }
    work.set({ is_hidden: 0, lease_owner: null, lease_expires_at_ms: 0 });
  });
  return transactions.database.read((tx) => sessionRow(tx, copy.id));
}

/** Those that saw no more of the history than the copy has. */
async function copyCheckpoints(work: SessionTransaction, source: SessionRow, end: number): Promise<void> {
  const rows = await work.tx
    .selectFrom('checkpoints')
    .selectAll()
    .where('session_key', '=', source.key)
    .orderBy('position')
    .execute();
  const valid = rows.filter((row) => (JSON.parse(row.checkpoint) as Checkpoint).historyEnd <= end);
  for (const [position, row] of valid.entries()) {
    await work.tx
      .insertInto('checkpoints')
      .values({ ...row, session_key: work.key, position })
      .execute();
  }
  work.set({ compaction_count: valid.length, last_compaction_at_ms: valid.at(-1)?.created_at_ms ?? null });
}
