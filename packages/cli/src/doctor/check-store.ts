import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fail, ok } from './finding.ts';
import { nearestFolder } from './nearest-folder.ts';
import { open } from 'node:fs/promises';
import type { Check, Finding } from './finding.ts';
import type { Composition } from '../composition/composition.ts';
import type { StoreConfig } from '@throughline/config';

const name = 'store';

/** The store opens as the runtime would open it, and takes a session, which is deleted at once. */
export function checkStore(config: StoreConfig, { openStoreFrom, ids }: Composition): Check {
  return {
    name,
    run: async () => {
      const store = await openStoreFrom(config);
      try {
        const { id } = await store.sessions.create({ id: ids.nextId('doctor'), owner: 'doctor' });
        await store.sessions.delete(id);
      } finally {
        await store[Symbol.asyncDispose]();
      }
      if (config.type === 'memory') return [ok(name, 'in memory: sessions end with the program.')];
      const version = await versionOf(config.file);
      return [ok(name, `${config.file} is writable (version ${version}).`), await blobFinding(config)];
    },
  };
}

/** SQLite keeps `user_version` in its header: https://sqlite.org/fileformat.html. */
async function versionOf(file: string): Promise<number> {
  const handle = await open(file, 'r');
  try {
    const header = new DataView(new ArrayBuffer(64));
    await handle.read(header, 0, 64, 0);
    return header.getUint32(60);
  } finally {
    await handle.close();
  }
}

/** The folder is made with the first blob: until then the one above it has to be writable. */
async function blobFinding({ blobs }: Extract<StoreConfig, { type: 'sqlite' }>): Promise<Finding> {
  const folder = await nearestFolder(blobs.folder);
  try {
    await access(folder, constants.W_OK);
    return ok('blobs', `${blobs.folder} is writable.`);
  } catch {
    return fail('blobs', `${blobs.folder}: ${folder} may not be written to, or is no folder.`);
  }
}

export const storeFolder = (config: StoreConfig): string | undefined =>
  config.type === 'sqlite' ? dirname(config.file) : undefined;
