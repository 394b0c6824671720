import { sql } from 'kysely';
import type { Json } from '@throughline/core/codec';
import type { Approvals, StoredApproval } from '@throughline/ports';
import type { Selectable } from 'kysely';
import type { Schema } from '../kit/schema.ts';
import type { SessionTransactions } from '../kit/session-transactions.ts';

export function approvalsOf(transactions: SessionTransactions): Approvals {
  return {
    list: (sessionId) =>
      transactions.look(sessionId, async (tables, session) => {
        const rows = await tables
          .selectFrom('approvals')
          .selectAll()
          .where('session_key', '=', session.key)
          .orderBy('position')
          .execute();
        return rows.map(approvalOf);
      }),
    answer: (sessionId, { id, answer }, emit) =>
      transactions.change(sessionId, async (work) => {
        const answered = await work.tx
          .updateTable('approvals')
          .set({ answer: JSON.stringify(answer) })
          .where('session_key', '=', work.key)
          .where('id', '=', id)
          .where('answer', 'is', null)
          .returningAll()
          .executeTakeFirst();
        if (!answered) return undefined;
        const approval = approvalOf(answered);
        return { approval, events: work.appendEvents(emit?.(approval) ?? []) };
      }),
    grants: (sessionId) =>
      transactions.look(sessionId, async (tables, session) => {
        const rows = await tables
          .selectFrom('grants')
          .select('permission')
          .where((where) =>
            where.or([where('session_key', 'is', null), where('session_key', '=', session.key)]),
          )
          .orderBy('key')
          .execute();
        return rows.map(({ permission }) => JSON.parse(permission) as Json);
      }),
    grant: (sessionId, grant, scope) =>
      transactions.change(sessionId, async (work) => {
        const permission = JSON.stringify(grant);
        const session_key = scope === 'session' ? work.key : null;
        const known = await work.tx
          .selectFrom('grants')
          .select('key')
          .where(sql`coalesce(session_key, 0)`, '=', session_key ?? 0)
          .where('permission', '=', permission)
          .executeTakeFirst();
        if (!known) await work.tx.insertInto('grants').values({ session_key, permission }).execute();
      }),
  };
}

function approvalOf(row: Selectable<Schema['approvals']>): StoredApproval {
  return {
    id: row.id,
    request: JSON.parse(row.request) as Json,
    requestedAtMs: row.requested_at_ms,
    answer: row.answer === null ? undefined : (JSON.parse(row.answer) as Json),
  };
}
