import { folderBlobs, openMemoryStore, openSqliteStore } from '@throughline/stores';
import { ContextError } from '@throughline/core';
import { dirname } from 'node:path';
import { existsSync } from 'node:fs';
import { makeFolder } from './make-folder.ts';
import { randomIds, systemClock } from '@throughline/system';
import type { SessionStore } from '@throughline/ports';
import type { StoreConfig } from '@throughline/config';

/**
 * The configured store. Its folder is made where it is not there, for this user alone: what people and models say is
 * nobody else's business.
 *
 * @throws {ContextError} `store-failed`, `store-version`
 */
export async function openStoreFrom(config: StoreConfig): Promise<SessionStore> {
  const shared = { clock: systemClock, ids: randomIds };
  if (config.type === 'memory') return openMemoryStore(shared);
  const { file, blobs } = config;
  await folderFor(file);
  return openSqliteStore({ ...shared, file, blobs: folderBlobs(blobs.folder) });
}

async function folderFor(file: string): Promise<void> {
  const folder = dirname(file);
  try {
    await makeFolder(folder);
  } catch (cause) {
    if (existsSync(folder)) return;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `Cannot use the store ${file}: its folder cannot be made (${reason}).`;
    throw new ContextError('store-failed', message, { store: file, reason: 'no-such-folder' }, { cause });
  }
}
