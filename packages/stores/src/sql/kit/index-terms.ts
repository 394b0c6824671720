import { sql } from 'kysely';

/*
 * What partial indexes are made over, written into the query instead of bound to it: SQLite plans a query anew each time
 * it is run where a bound value decides whether such an index may be used, which takes longer than the query.
 */

/** `is_hidden` of sessions that somebody sees. */
export const visible = sql.lit(0);

/** `state` of what waits in the inbox. */
export const accepted = sql.lit('accepted');
