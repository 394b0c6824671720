export { folderBlobs, memoryBlobs } from './blobs.ts';
export { openMemoryStore, openSqliteStore } from './sqlite/open-sqlite-store.ts';
export type { SqliteStoreOptions } from './sqlite/open-sqlite-store.ts';
