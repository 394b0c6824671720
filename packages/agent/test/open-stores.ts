import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryFolder } from '@throughline/testkit';
import { folderBlobs, openMemoryStore, openSqliteStore } from '@throughline/stores';
import type { SessionStore } from '@throughline/ports';

/** A store under test. Its clock stands still until the test moves it. */
export interface OpenedStore {
  readonly clock: { nowMs(): number; advance(ms: number): void };
  /** The same data through another handle, as another process has it; in memory there is only one. */
  open(): Promise<SessionStore>;
  close(): Promise<void>;
}

function surroundings(): {
  readonly clock: OpenedStore['clock'];
  readonly ids: { nextId(kind: string): string };
} {
  let nowMs = 1_700_000_000_000;
  let count = 0;
  return {
    clock: { nowMs: () => nowMs, advance: (ms) => void (nowMs += ms) },
    ids: { nextId: (kind) => `${kind}-${(count += 1)}` },
  };
}

/** Opens a store for some work, and closes it whatever comes of it. */
export async function inStore<Opened extends OpenedStore>(
  open: () => Promise<Opened>,
  work: (opened: Opened) => Promise<void>,
): Promise<void> {
  const opened = await open();
  try {
    await work(opened);
  } finally {
    await opened.close();
  }
}

export async function openInMemory(): Promise<OpenedStore> {
  const { clock, ids } = surroundings();
  const store = await openMemoryStore({ clock, ids });
  return { clock, open: async () => store, close: async () => store[Symbol.asyncDispose]() };
}

export async function openInFile(): Promise<OpenedStore & { readonly folder: string }> {
  const { clock, ids } = surroundings();
  const folder = await mkdtemp(join(memoryFolder(), 'throughline-agent-'));
  const opened: SessionStore[] = [];
  return {
    clock,
    folder,
    open: async () => {
      const blobs = folderBlobs(join(folder, 'blobs'));
      const store = await openSqliteStore({ file: join(folder, 'sessions.db'), blobs, clock, ids });
      opened.push(store);
      return store;
    },
    close: async () => {
      for (const store of opened) await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
