export { openPostgresStore } from '../postgres/open-postgres-store.ts';
export { lookAtPostgres } from '../postgres/look-at-postgres.ts';
export type { PostgresFacts } from '../postgres/look-at-postgres.ts';
export type { PostgresStoreOptions } from '../postgres/open-postgres-store.ts';
