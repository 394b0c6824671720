export { folderBlobs } from './blobs/folder-blobs.ts';
export { memoryBlobs } from './blobs/memory-blobs.ts';
export { openMemoryStore, openSqliteStore } from './sqlite/open-sqlite-store.ts';
export type { SqliteStoreOptions } from './sqlite/open-sqlite-store.ts';
