import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryFolder } from '@throughline/testkit';
import { folderBlobs, memoryBlobs, openSqliteStore } from '../src/index.ts';
import { countingIds, scriptedClock } from '../src/contract/test-store.ts';
import type { BlobStore, SessionStore } from '@throughline/ports';
import type { OpenedStore, OpenStore } from '../src/contract/test-store.ts';

/** Everything in memory. A second handle is the first. */
export const openInMemory: OpenStore = async () => {
  const clock = scriptedClock();
  const names = new Set<string>();
  const inner = memoryBlobs();
  const blobs: BlobStore = {
    get: (hash) => inner.get(hash),
    put: (hash, bytes) => inner.put(hash, bytes).then(() => void names.add(hash)),
    remove: (hash) => inner.remove(hash).then(() => void names.delete(hash)),
  };
  const store = await openSqliteStore({ file: ':memory:', blobs, clock, ids: countingIds() });
  return {
    store,
    clock,
    again: async () => store,
    blobs: async () => [...names],
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
};

/** A file and a folder of blobs; each handle has a connection of its own. */
export async function openInFile(): Promise<OpenedStore & { readonly folder: string }> {
  const clock = scriptedClock();
  const ids = countingIds();
  const folder = await mkdtemp(join(memoryFolder(), 'throughline-store-'));
  const blobFolder = join(folder, 'blobs');
  const opened: SessionStore[] = [];
  const open = async (): Promise<SessionStore> => {
    const file = join(folder, 'sessions.db');
    const store = await openSqliteStore({ file, blobs: folderBlobs(blobFolder), clock, ids });
    opened.push(store);
    return store;
  };
  return {
    folder,
    store: await open(),
    clock,
    again: open,
    blobs: async () => {
      const files = await readdir(blobFolder, { recursive: true, withFileTypes: true }).catch(() => []);
      return files.filter((file) => file.isFile()).map(({ parentPath, name }) => parentPath.slice(-2) + name);
    },
    [Symbol.asyncDispose]: async () => {
      for (const store of opened) await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
