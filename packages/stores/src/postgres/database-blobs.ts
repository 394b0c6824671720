import { createHash } from 'node:crypto';
import { asked, connect } from './connection/postgres-dialect.ts';
import { postgresFailure, storeFailed } from './connection/postgres-failure.ts';
import type { BlobStore } from '@throughline/ports';
import type { Pool } from 'pg';
import type { SchemaAddress } from './migrate.ts';

/** Blobs in a table of the store: every machine reads them, and a back-up of the database has them all. */
export function databaseBlobs(pool: Pool, { store, schema }: SchemaAddress): BlobStore {
  async function run(
    text: string,
    values: readonly unknown[],
  ): Promise<readonly { readonly bytes: Buffer }[]> {
    try {
      const client = await connect(pool);
      try {
        return (await asked(client.query<{ readonly bytes: Buffer }>(text, [...values]))).rows;
      } finally {
        client.release();
      }
    } catch (error) {
      throw postgresFailure(store, error);
    }
  }
  return {
    async put(hash, bytes) {
      const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      await run(`insert into ${schema}.blob_bytes (hash, bytes) values ($1, $2) on conflict do nothing`, [
        hash,
        given,
      ]);
    },
    async get(hash) {
      const [found] = await run(`select bytes from ${schema}.blob_bytes where hash = $1`, [hash]);
      if (!found) return undefined;
      const { bytes } = found;
      if (createHash('sha256').update(bytes).digest('hex') !== hash) {
        const advice = `The blob ${hash} is not what was stored.`;
        throw storeFailed(store, { reason: 'corrupt', advice });
      }
      return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    async remove(hash) {
      await run(`delete from ${schema}.blob_bytes where hash = $1`, [hash]);
    },
  };
}
