import { notFound } from '../kit/failures.ts';
import type { Json } from '@throughline/core/codec';
import type { ProxyConversation, Whose } from '@throughline/ports';
import type { Selectable } from 'kysely';
import type { Schema, Tx } from '../kit/schema.ts';

/** A conversation with the name of its scope. */
export type ConversationRow = Selectable<Schema['proxy_conversations']> & { readonly name: string };

/** Those that this one may see: every query for people begins here. */
export function conversationsOf(tx: Tx, whose: Whose) {
  return tx
    .selectFrom('proxy_conversations')
    .innerJoin('proxy_scopes', 'proxy_scopes.key', 'proxy_conversations.scope_key')
    .selectAll('proxy_conversations')
    .select('proxy_scopes.name')
    .where((where) =>
      'scope' in whose
        ? where('proxy_scopes.name', '=', whose.scope)
        : where('proxy_conversations.owner', '=', whose.owner),
    );
}

/** @throws {ContextError} `not-found` */
export async function conversationRow(tx: Tx, whose: Whose, id: string): Promise<ConversationRow> {
  const row = await conversationsOf(tx, whose).where('proxy_conversations.id', '=', id).executeTakeFirst();
  if (!row) throw notFound('conversation', id);
  return row;
}

export function conversationOf(row: ConversationRow): ProxyConversation {
  return {
    id: row.id,
    scope: row.name,
    route: row.route,
    owner: row.owner,
    label: row.label,
    title: row.title,
    model: row.model,
    parentId: row.parent_id,
    headHash: row.head_hash,
    length: row.length,
    requests: row.requests,
    compactions: row.compactions,
    lastUsage: row.last_usage === null ? null : (JSON.parse(row.last_usage) as Json),
    startedAtMs: row.started_at_ms,
    usedAtMs: row.used_at_ms,
  };
}
