import type { Clock } from '@throughline/ports';
import type { Database, TextIndex } from '../kit/database.ts';
import type { Tx } from '../kit/schema.ts';

/** What the parts of a proxy store work with. */
export interface ProxySurroundings {
  readonly database: Database;
  /** In whole milliseconds. */
  readonly clock: Clock;
  readonly anyCaseLike: TextIndex['anyCaseLike'];
}

/** Hashes in one statement: databases limit how many values one may bind. */
export const hashesTogether = 500;

/** `undefined` where nothing was ever stored in this scope, or all of it is gone. */
export async function scopeKey(tx: Tx, scope: string): Promise<number | undefined> {
  const found = await tx
    .selectFrom('proxy_scopes')
    .select('key')
    .where('name', '=', scope)
    .executeTakeFirst();
  return found?.key;
}

export async function requireScope(tx: Tx, scope: string): Promise<number> {
  const known = await scopeKey(tx, scope);
  if (known !== undefined) return known;
  const made = await tx
    .insertInto('proxy_scopes')
    .values({ name: scope })
    .returning('key')
    .executeTakeFirstOrThrow();
  return made.key;
}

/** Who else locks it waits until this transaction ends. */
export async function lockScope(tx: Tx, key: number): Promise<void> {
  await tx.selectFrom('proxy_scopes').select('key').where('key', '=', key).forUpdate().execute();
}

/** Counts bytes that came, or, where it is negative, went. */
export async function countBytes(tx: Tx, scope: number, bytes: number): Promise<void> {
  if (bytes === 0) return;
  await tx
    .updateTable('proxy_scopes')
    .set((row) => ({ bytes: row('bytes', '+', bytes) }))
    .where('key', '=', scope)
    .execute();
}

/** What a row takes beside its texts: hashes, in the table and its indexes, and numbers. */
const bytesOfRow = 400;

export function bytesOf(...texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), bytesOfRow);
}
