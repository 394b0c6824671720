import { ContextError } from '@throughline/core';
import { alreadyExists } from '../kit/failures.ts';
import { cursorOf, numbersOf } from '../kit/cursors.ts';
import { conversationOf, conversationRow, conversationsOf } from './conversation-rows.ts';
import { deleteConversation } from './prune-proxy.ts';
import { messageAt, pathFrom } from './proxy-messages.ts';
import { lockScope, scopeKey } from './proxy-scopes.ts';
import { searchConversations, searchIn } from './search-conversations.ts';
import type { Json } from '@throughline/core/codec';
import type {
  ConversationQuery,
  ConversationUpdate,
  MessageQuery,
  Page,
  ProxyConversation,
  ProxyConversations,
  ProxyMessage,
  Whose,
} from '@throughline/ports';
import type { Tx } from '../kit/schema.ts';
import type { ConversationRow } from './conversation-rows.ts';
import type { ProxySurroundings } from './proxy-scopes.ts';

const pageOfConversations = 50;
const pageOfMessages = 50;
const largestPage = 500;

export function proxyConversationsOf(around: ProxySurroundings): ProxyConversations {
  const { database, clock } = around;
  return {
    // Noted behind every answer: the next request tells it again.
    update: (scope, update) =>
      database.write(
        (tx) => updateRow(tx, scope, update, { nowMs: clock.nowMs(), locksRows: database.locksRows }),
        {
          lasting: 'while-machine-runs',
          about: scope,
        },
      ),
    noteCompaction: (scope, id, session) =>
      database.write((tx) => noteCompaction(tx, scope, { id, session }), { about: scope }),
    takeCompacted: async (scope, session) => {
      // Most sessions have none, and a read keeps nobody waiting.
      const isThere = await database.read((tx) => compactedIn(tx, scope, session));
      return isThere === undefined
        ? undefined
        : await database.write((tx) => takeCompacted(tx, scope, session), { about: scope });
    },
    read: (whose, id) => database.read(async (tx) => conversationOf(await conversationRow(tx, whose, id))),
    instructions: (whose, id) => database.read((tx) => instructionsOf(tx, whose, id)),
    list: (whose, query = {}) =>
      database.read(async (tx) => {
        const { items, next } = await listRows(tx, whose, query);
        return { items: items.map(conversationOf), next };
      }),
    messages: (whose, id, query = {}) => database.read((tx) => pageOf(tx, whose, id, query)),
    searchIn: (whose, id, query, limit) =>
      searchIn(around, whose, { id, query, ...(limit !== undefined && { limit }) }),
    search: (whose, query) => searchConversations(around, query, (tx, listed) => listRows(tx, whose, listed)),
    delete: async (whose, id) => (await deleteConversation(around, whose, id)) !== undefined,
  };
}

async function updateRow(
  tx: Tx,
  scope: string,
  given: ConversationUpdate,
  { nowMs, locksRows }: { readonly nowMs: number; readonly locksRows: boolean },
): Promise<ProxyConversation | undefined> {
  const { label, lastUsage, instructions, compactions = 0, unstoredForMs } = given;
  const head = await messageAt(tx, scope, given.headHash);
  if (!head) return undefined;
  if (unstoredForMs !== undefined && locksRows) await lockScope(tx, head.key);
  const twin =
    unstoredForMs === undefined
      ? undefined
      : await twinOf(tx, given, { ...head, sinceMs: nowMs - unstoredForMs - mostUnseenMs });
  const { id, headHash, length } = twin ?? { id: given.id, headHash: given.headHash, length: head.length };
  const moved = {
    model: given.model,
    head_hash: headHash,
    length,
    ...(label !== undefined && { label }),
    ...(lastUsage !== undefined && { last_usage: JSON.stringify(lastUsage) }),
  };
  const row = await tx
    .insertInto('proxy_conversations')
    .values({
      id,
      scope_key: head.key,
      route: given.route,
      owner: given.owner,
      title: given.title,
      parent_id: given.parentId ?? null,
      requests: 1,
      compactions,
      started_at_ms: nowMs,
      used_at_ms: nowMs,
      ...moved,
    })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet((stored) => ({
          ...moved,
          requests: stored('proxy_conversations.requests', '+', 1),
          compactions: stored('proxy_conversations.compactions', '+', compactions),
          // Clocks of two machines differ: who was used later never seems used earlier.
          used_at_ms: stored
            .case()
            .when('proxy_conversations.used_at_ms', '<', nowMs)
            .then(nowMs)
            .else(stored.ref('proxy_conversations.used_at_ms'))
            .end(),
        }))
        .where('proxy_conversations.scope_key', '=', head.key),
    )
    .returningAll()
    .executeTakeFirst();
  if (!row) throw alreadyExists('conversation', id);
  if (instructions !== undefined) await setInstructions(tx, row.key, instructions);
  return conversationOf({ ...row, name: scope });
}

/** So many conversations made meanwhile are looked at; a caller hardly begins more while one first request is answered. */
const mostTwins = 100;
/** A row is there for others only when its transaction has ended, which is later than its time says. */
const mostUnseenMs = 1_000;

type Twin = Pick<ProxyConversation, 'id' | 'headHash' | 'length'>;

/** The conversation that another process has made of the same first request, see `unstoredForMs`. */
async function twinOf(
  tx: Tx,
  { id, parentId, headHash }: ConversationUpdate,
  { key, length, sinceMs }: { readonly key: number; readonly length: number; readonly sinceMs: number },
): Promise<Twin | undefined> {
  const rows = await tx
    .selectFrom('proxy_conversations')
    .select(['id', 'head_hash', 'length'])
    .where('used_at_ms', '>=', sinceMs)
    .where('started_at_ms', '>=', sinceMs)
    .where('scope_key', '=', key)
    .where('length', '>=', length)
    .orderBy('started_at_ms')
    .orderBy('key')
    .limit(mostTwins)
    .execute();
  if (rows.some((row) => row.id === id)) return undefined;
  for (const row of rows) {
    if (row.id === parentId) continue;
    const path = await pathFrom(tx, key, { hash: row.head_hash, limit: row.length - length + 1 });
    if (path.at(-1)?.hash === headHash) return { id: row.id, headHash: row.head_hash, length: row.length };
  }
  return undefined;
}

async function setInstructions(tx: Tx, conversationKey: number, value: Json): Promise<void> {
  const instructions = JSON.stringify(value);
  await tx
    .insertInto('proxy_instructions')
    .values({ conversation_key: conversationKey, instructions })
    .onConflict((conflict) => conflict.column('conversation_key').doUpdateSet({ instructions }))
    .execute();
}

async function instructionsOf(tx: Tx, whose: Whose, id: string): Promise<Json> {
  const { key } = await conversationRow(tx, whose, id);
  const row = await tx
    .selectFrom('proxy_instructions')
    .select('instructions')
    .where('conversation_key', '=', key)
    .executeTakeFirst();
  return row ? (JSON.parse(row.instructions) as Json) : null;
}

async function noteCompaction(
  tx: Tx,
  scope: string,
  { id, session }: { readonly id: string; readonly session: string },
): Promise<boolean> {
  const scope_key = await scopeKey(tx, scope);
  if (scope_key === undefined) return false;
  await takeCompacted(tx, scope, session);
  const row = await tx
    .updateTable('proxy_conversations')
    .set({ compacted_session: session })
    .where('id', '=', id)
    .where('scope_key', '=', scope_key)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

async function compactedIn(tx: Tx, scope: string, session: string): Promise<string | undefined> {
  const scope_key = await scopeKey(tx, scope);
  if (scope_key === undefined) return undefined;
  const row = await tx
    .selectFrom('proxy_conversations')
    .select('id')
    .where('scope_key', '=', scope_key)
    .where('compacted_session', '=', session)
    .executeTakeFirst();
  return row?.id;
}

async function takeCompacted(tx: Tx, scope: string, session: string): Promise<string | undefined> {
  const id = await compactedIn(tx, scope, session);
  if (id === undefined) return undefined;
  const taken = await tx
    .updateTable('proxy_conversations')
    .set({ compacted_session: null })
    .where('id', '=', id)
    .where('compacted_session', '=', session)
    .returning('id')
    .executeTakeFirst();
  return taken?.id;
}

async function listRows(
  tx: Tx,
  whose: Whose,
  { route, cursor, limit = pageOfConversations }: ConversationQuery,
): Promise<Page<ConversationRow>> {
  const [atMs, key] = numbersOf(cursor ?? '0.0', 2);
  const rows = await conversationsOf(tx, whose)
    .$if(route !== undefined, (some) => some.where('route', '=', route ?? ''))
    .$if(cursor !== undefined, (some) =>
      some.where((where) =>
        where.or([
          where('used_at_ms', '<', atMs),
          where.and([where('used_at_ms', '=', atMs), where('proxy_conversations.key', '<', key)]),
        ]),
      ),
    )
    .orderBy('used_at_ms', 'desc')
    .orderBy('proxy_conversations.key', 'desc')
    .limit(limit + 1)
    .execute();
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last ? cursorOf(last.used_at_ms, last.key) : null };
}

/** A cursor is the message that a page ends with: the head may have moved on, or back, meanwhile. */
async function pageOf(
  tx: Tx,
  whose: Whose,
  id: string,
  { cursor, limit = pageOfMessages }: MessageQuery,
): Promise<Page<ProxyMessage>> {
  const { scope_key, head_hash } = await conversationRow(tx, whose, id);
  if (limit < 1) return { items: [], next: null };
  const path = await pathFrom(tx, scope_key, {
    hash: cursor ?? head_hash,
    limit: Math.min(limit, largestPage),
  });
  const oldest = path.at(-1);
  if (!oldest) throw noCursor(cursor);
  const rows = await tx
    .selectFrom('proxy_messages')
    .select(['hash', 'message', 'length', 'added_at_ms'])
    .where(
      'key',
      'in',
      path.map(({ key }) => key),
    )
    .orderBy('length')
    .execute();
  const items = rows.map(({ added_at_ms: addedAtMs, ...row }) => ({ ...row, addedAtMs }));
  return { items, next: oldest.parent };
}

function noCursor(received: string | undefined): ContextError<'invalid-option'> {
  return new ContextError('invalid-option', 'A cursor is the `next` of the page before.', {
    option: 'cursor',
    expected: '`next` of the page before',
    received,
  });
}
