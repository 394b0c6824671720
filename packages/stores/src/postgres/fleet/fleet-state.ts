import { asked } from '../connection/postgres-dialect.ts';
import { nodeName } from './direct-connection.ts';
import type { FleetState } from '@throughline/ports';
import type { Pool } from 'pg';

/** Numbers of the database, and of this process's connections to it. */
export async function fleetStateOf(
  { pool, schema }: { readonly pool: Pool; readonly schema: string },
  hasCrashDetector: boolean,
): Promise<FleetState> {
  const { rows } = await asked(pool.query<{ nodes: number; leased: number }>(textFor(schema), [nodeName]));
  const [row] = rows;
  const { totalCount, idleCount, waitingCount } = pool;
  return {
    nodes: row?.nodes ?? 0,
    hasCrashDetector,
    leasedSessions: row?.leased ?? 0,
    connections: { busy: totalCount - idleCount, idle: idleCount, wanted: waitingCount },
  };
}

/** Behind a pooler a connection does not know where the tables are. */
const textFor = (schema: string): string => `select
  (select count(*)::int from pg_stat_activity where application_name = $1 and datname = current_database()) as nodes,
  (select count(*)::int from "${schema}".sessions where lease_owner is not null
    and lease_expires_at_ms > floor(extract(epoch from clock_timestamp()) * 1000)) as leased`;
