export { createStore } from '../sql/create-store.ts';
export type { StoreParts } from '../sql/create-store.ts';
export { Database } from '../sql/kit/database.ts';
export type { Engine, KeyRange, Lasting, TextIndex } from '../sql/kit/database.ts';
export type { Schema, Tx } from '../sql/kit/schema.ts';
export type { Presence } from '../sql/kit/session-transactions.ts';
export { migrations } from '../sqlite/migrations.ts';
export type { Migration } from '../sqlite/migrations.ts';
