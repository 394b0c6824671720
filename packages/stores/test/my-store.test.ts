import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mkdtemp, rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { memoryFolder } from '@throughline/testkit';
import { countingIds, describeStore, scriptedClock } from '@throughline/stores/contract';
import { memoryBlobs } from '@throughline/stores';
import { openMyStore } from './my-store.ts';
import type { BlobStore, SessionStore } from '@throughline/ports';
import type { OpenStore } from '@throughline/stores/contract';

const open: OpenStore = async () => {
  const folder = await mkdtemp(join(memoryFolder(), 'throughline-own-'));
  const around = { clock: scriptedClock(), ids: countingIds() };
  const names = new Set<string>();
  const inner = memoryBlobs();
  const blobs: BlobStore = {
    // Blobs of one's own are often `Buffer`s of Node.
    get: (hash) => inner.get(hash).then((bytes) => bytes && Buffer.from(bytes)),
    put: (hash, bytes) => inner.put(hash, bytes).then(() => void names.add(hash)),
    remove: (hash) => inner.remove(hash).then(() => void names.delete(hash)),
  };
  const opened: SessionStore[] = [];
  const again = async (): Promise<SessionStore> => {
    const store = await openMyStore(join(folder, 'sessions.db'), { ...around, blobs });
    opened.push(store);
    return store;
  };
  return {
    store: await again(),
    clock: around.clock,
    again,
    blobs: async () => [...names],
    [Symbol.asyncDispose]: async () => {
      for (const store of opened) await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
};

it('the store of the guide brings a file of an older version to the tables of today', async () => {
  const folder = await mkdtemp(join(memoryFolder(), 'throughline-own-'));
  const file = join(folder, 'sessions.db');
  const around = { blobs: memoryBlobs(), clock: scriptedClock(), ids: countingIds() };
  const first = await openMyStore(file, around);
  await first[Symbol.asyncDispose]();
  const older = new DatabaseSync(file);
  older.exec('drop table settings; pragma user_version = 14');
  older.close();
  await using store = await openMyStore(file, around);
  expect(await store.settings?.keep(0, { model: 'm' })).toMatchObject({ revision: 1 });
  await rm(folder, { recursive: true });
});

// The store of docs/guides/writing-a-store.md, over the entry points that the guide names.
describeStore('the store of the guide', open);
