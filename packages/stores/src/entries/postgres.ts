export { openPostgresStore } from '../postgres/open-postgres-store.ts';
export type { PostgresStoreOptions } from '../postgres/open-postgres-store.ts';
