import { createHash } from 'node:crypto';
import { setImmediate as giveWay } from 'node:timers/promises';
import { sql } from 'kysely';
import { keysOf } from '../kit/database.ts';
import { indexedText } from './part-text.ts';
import type { Attachments, BlobStore } from '@throughline/ports';
import type { Insertable } from 'kysely';
import type { Database } from '../kit/database.ts';
import type { Schema, Tx } from '../kit/schema.ts';
import type { SessionTransaction, SessionTransactions } from '../kit/session-transactions.ts';

/** Files that are removed in one transaction, which others wait for. */
const blobsPerSweep = 50;

export function attachmentsOf(transactions: SessionTransactions, blobs: BlobStore): Attachments {
  return {
    keep: (sessionId, bytes, mediaType) =>
      keep({ bytes, mediaType }, blobs, (refer) => transactions.change(sessionId, refer)),
    mediaType: (sessionId, hash) =>
      transactions.read(sessionId, async (tx, session) => {
        const found = await tx
          .selectFrom('session_blobs')
          .select('media_type')
          .where('session_key', '=', session.key)
          .where('hash', '=', hash)
          .executeTakeFirst();
        return found?.media_type ?? undefined;
      }),
    async read(sessionId, hash) {
      const isReferred = await transactions.read(sessionId, async (tx, session) => {
        const found = await tx
          .selectFrom('session_blobs')
          .select('hash')
          .where('session_key', '=', session.key)
          .where('hash', '=', hash)
          .executeTakeFirst();
        return found !== undefined;
      });
      return isReferred ? blobs.get(hash) : undefined;
    },
    async keepOutput(sessionId, callId, text) {
      const bytes = new TextEncoder().encode(text);
      const hash = await keep({ bytes }, blobs, (refer) => transactions.change(sessionId, refer));
      return transactions.change(sessionId, async (work) => {
        const number = work.count('output_count');
        await addOutput(work, { number, call_id: callId, hash, created_at_ms: work.nowMs }, text);
        return `o${number}`;
      });
    },
  };
}

/**
 * The session refers to the blob before the bytes are written: from then on nobody removes them. A crash in between
 * leaves a name without bytes, which no message mentions.
 */
export async function keep(
  { bytes, mediaType = null }: { readonly bytes: Uint8Array; readonly mediaType?: string | null | undefined },
  blobs: BlobStore,
  change: (refer: (work: SessionTransaction) => Promise<void>) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256').update(bytes).digest('hex');
  await change(async ({ tx, key }) => {
    await knowBlob(tx, hash, bytes.byteLength);
    await tx
      .insertInto('session_blobs')
      .values({ session_key: key, hash, media_type: mediaType })
      .onConflict((conflict) =>
        mediaType === null
          ? conflict.doNothing()
          : conflict.columns(['session_key', 'hash']).doUpdateSet({ media_type: mediaType }),
      )
      .execute();
  });
  await blobs.put(hash, bytes);
  return hash;
}

/** A whole output, found by `search` and recalled by its number. */
export async function addOutput(
  work: SessionTransaction,
  output: Pick<Insertable<Schema['outputs']>, 'number' | 'call_id' | 'hash' | 'created_at_ms'>,
  text: string,
): Promise<void> {
  const key = keysOf(work.row).first + work.count('text_count');
  await work.tx
    .insertInto('outputs')
    .values({ key, session_key: work.key, ...output })
    .execute();
  await work.around.textIndex.add(work.tx, key, indexedText(text));
}

async function knowBlob(tx: Tx, hash: string, sizeBytes: number): Promise<void> {
  await tx
    .insertInto('blobs')
    .values({ hash, size_bytes: sizeBytes })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Removes the blobs that no session refers to. The bytes go inside the transaction: until it ends nobody can begin to
 * refer to them, and where it does not end the next sweep finds them again. Where others write at the same time, it is
 * looked again once the blobs are locked: a session may have come to refer to one before.
 */
export async function sweepBlobs(database: Database, blobs: BlobStore): Promise<void> {
  const { locksRows } = database;
  while (await database.write((tx) => sweepSome(tx, blobs, locksRows))) await giveWay();
}

const isUnused = sql<boolean>`not exists (
  select 1 from session_blobs where session_blobs.hash = blobs.hash)`;

/** @returns whether there may be more */
async function sweepSome(tx: Tx, blobs: BlobStore, locksRows: boolean): Promise<boolean> {
  const unused = await tx
    .selectFrom('blobs')
    .select('hash')
    .where(isUnused)
    .limit(blobsPerSweep)
    .$if(locksRows, (locked) => locked.forUpdate().skipLocked())
    .execute();
  for (const { hash } of unused) {
    const gone = await tx
      .deleteFrom('blobs')
      .where('hash', '=', hash)
      .where(isUnused)
      .returning('hash')
      .executeTakeFirst();
    if (gone) await blobs.remove(hash);
  }
  return unused.length === blobsPerSweep;
}
