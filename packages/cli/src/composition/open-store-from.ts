import { folderBlobs, openMemoryStore, openSqliteStore } from '@throughline/stores';
import { dirname } from 'node:path';
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
  // Where the folder cannot be made, opening the file says why.
  await makeFolder(dirname(file)).catch(() => undefined);
  return openSqliteStore({ ...shared, file, blobs: folderBlobs(blobs.folder) });
}
