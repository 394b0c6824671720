import { setImmediate as giveWay } from 'node:timers/promises';
import { sql } from 'kysely';
import { conversationsOf } from './conversation-rows.ts';
import { countBytes } from './proxy-scopes.ts';
import type { PruneBounds, Pruned, Whose } from '@throughline/ports';
import type { Tx } from '../kit/schema.ts';
import type { ProxySurroundings } from './proxy-scopes.ts';

/** Messages that are deleted in one transaction, which others wait for. */
const messagesTogether = 500;
/** Messages among which unused ones are looked for in one transaction. */
const messagesPerLook = 5_000;
/** A request stores its messages before its conversation stands on them. */
const unusedForMs = 3_600_000;

type Freed = Pick<Pruned, 'messages' | 'passes' | 'bytes'>;

interface Head {
  readonly scope_key: number;
  readonly hash: string;
}

const nothing: Freed = { messages: 0, passes: 0, bytes: 0 };

/** See `ProxyStore.prune`. */
export async function pruneProxy(
  around: ProxySurroundings,
  { olderThanMs = -Infinity, maxBytes = Infinity }: PruneBounds,
): Promise<Pruned> {
  const { database } = around;
  let conversations = 0;
  let freed = nothing;
  const isTooMuch = async (): Promise<boolean> => (await database.read(keptBytes)) > maxBytes;
  const deleteOldest = async (usedBeforeMs: number): Promise<boolean> => {
    const head = await database.write((tx) => deleteRow(tx, { usedBeforeMs }));
    if (!head) return false;
    conversations += 1;
    freed = plus(freed, await deleteUnused(around, head));
    return true;
  };
  while (await deleteOldest(olderThanMs));
  freed = plus(freed, await deleteForgotten(around));
  while ((await isTooMuch()) && (await deleteOldest(Infinity)));
  await database.write(deleteEmptyScopes);
  return { conversations, ...freed, keptBytes: await database.read(keptBytes) };
}

/** @returns `undefined` where there is none */
export async function deleteConversation(
  around: ProxySurroundings,
  whose: Whose,
  id: string,
): Promise<Freed | undefined> {
  const head = await around.database.write((tx) => deleteRow(tx, { whose, id }));
  return head && deleteUnused(around, head);
}

type Which =
  | { readonly whose: Whose; readonly id: string }
  | { /** The oldest of these. */ readonly usedBeforeMs: number };

/** @returns the message that it stood on */
async function deleteRow(tx: Tx, which: Which): Promise<Head | undefined> {
  const row = await ('whose' in which
    ? conversationsOf(tx, which.whose).where('proxy_conversations.id', '=', which.id).executeTakeFirst()
    : tx
        .selectFrom('proxy_conversations')
        .select(['key', 'scope_key', 'head_hash'])
        .$if(Number.isFinite(which.usedBeforeMs), (some) =>
          some.where('used_at_ms', '<', Math.ceil(which.usedBeforeMs)),
        )
        .$if(which.usedBeforeMs === -Infinity, (some) => some.where('key', '<', 0))
        .orderBy('used_at_ms')
        .orderBy('key')
        .limit(1)
        .executeTakeFirst());
  if (!row) return undefined;
  await tx.deleteFrom('proxy_conversations').where('key', '=', row.key).execute();
  return { scope_key: row.scope_key, hash: row.head_hash };
}

/** From a message back to the first on which something else stands. */
async function deleteUnused({ database }: ProxySurroundings, head: Head): Promise<Freed> {
  let freed = nothing;
  for (let hash: string | null = head.hash; hash !== null; await giveWay()) {
    const from: Head = { scope_key: head.scope_key, hash };
    const some: Step = await database.write((tx) => deleteSome(tx, from));
    freed = plus(freed, some.freed);
    hash = some.next;
  }
  return freed;
}

interface Step {
  readonly freed: Freed;
  /** Where it goes on; `null` at the end. */
  readonly next: string | null;
}

async function deleteSome(tx: Tx, head: Head): Promise<Step> {
  const path = await unusedPath(tx, head);
  const keys = path.map(({ key }) => key);
  if (keys.length === 0) return { freed: nothing, next: null };
  const { scope_key } = head;
  const passes = await tx
    .deleteFrom('proxy_passes')
    .where('scope_key', '=', scope_key)
    .where(
      'hash',
      'in',
      path.map(({ hash }) => hash),
    )
    .returning('bytes')
    .execute();
  const messages = await tx
    .deleteFrom('proxy_messages')
    .where('key', 'in', keys)
    .returning('bytes')
    .execute();
  // Of what went here: another process may delete the same.
  const bytes = [...messages, ...passes].reduce((sum, row) => sum + row.bytes, 0);
  await countBytes(tx, scope_key, -bytes);
  const isCutOff = path.length === messagesTogether;
  return {
    freed: { messages: messages.length, passes: passes.length, bytes },
    next: isCutOff ? (path.at(-1)?.parent ?? null) : null,
  };
}

const standsNoConversation = sql<boolean>`not exists (
  select 1 from proxy_conversations as one
  where one.scope_key = message.scope_key and one.head_hash = message.hash)`;
const followsNoMessage = sql<boolean>`not exists (
  select 1 from proxy_messages as next
  where next.scope_key = message.scope_key and next.parent = message.hash)`;

interface UnusedMessage {
  readonly key: number;
  readonly hash: string;
  readonly parent: string | null;
  readonly bytes: number;
}

/** The message and those before it, the newest first, as far as nothing else stands on them. */
async function unusedPath(tx: Tx, { scope_key, hash }: Head): Promise<readonly UnusedMessage[]> {
  const { rows } = await sql<UnusedMessage>`
    with recursive path (key, hash, parent, bytes, step) as (
      select key, hash, parent, bytes, 1 from proxy_messages as message
      where scope_key = ${scope_key} and hash = ${hash} and ${standsNoConversation} and ${followsNoMessage}
      union all
      select message.key, message.hash, message.parent, message.bytes, path.step + 1
      from path join proxy_messages as message
        on message.scope_key = ${scope_key} and message.hash = path.parent
      where path.step < ${messagesTogether} and ${standsNoConversation} and not exists (
        select 1 from proxy_messages as next
        where next.scope_key = message.scope_key and next.parent = message.hash and next.hash <> path.hash)
    )
    select key, hash, parent, bytes from path order by step`.execute(tx);
  return rows;
}

/** Messages that no conversation stands on any more, or none came to stand on. */
async function deleteForgotten(around: ProxySurroundings): Promise<Freed> {
  const addedBeforeMs = around.clock.nowMs() - unusedForMs;
  let freed = nothing;
  for (let first = 0; ; await giveWay()) {
    const from = first;
    const { end, heads } = await around.database.read((tx) => forgottenFrom(tx, from, addedBeforeMs));
    for (const head of heads) freed = plus(freed, await deleteUnused(around, head));
    if (end === undefined) return freed;
    first = end;
  }
}

/** Those among the next messages by key on which nothing stands, and where the others begin. */
async function forgottenFrom(
  tx: Tx,
  first: number,
  addedBeforeMs: number,
): Promise<{ readonly end: number | undefined; readonly heads: readonly Head[] }> {
  const next = await tx
    .selectFrom('proxy_messages')
    .select('key')
    .where('key', '>=', first)
    .orderBy('key')
    .offset(messagesPerLook)
    .limit(1)
    .executeTakeFirst();
  const heads = await tx
    .selectFrom('proxy_messages as message')
    .select(['message.scope_key', 'message.hash'])
    .where('message.key', '>=', first)
    .$if(next !== undefined, (some) => some.where('message.key', '<', next?.key ?? 0))
    .where('message.added_at_ms', '<', addedBeforeMs)
    .where(followsNoMessage)
    .where(standsNoConversation)
    .execute();
  return { end: next?.key, heads };
}

async function keptBytes(tx: Tx): Promise<number> {
  const { bytes } = await tx
    .selectFrom('proxy_scopes')
    .select(({ fn }) => fn.sum<number | string | null>('bytes').as('bytes'))
    .executeTakeFirstOrThrow();
  return Number(bytes ?? 0);
}

async function deleteEmptyScopes(tx: Tx): Promise<void> {
  await tx
    .deleteFrom('proxy_scopes')
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('proxy_messages as message')
            .select('message.key')
            .whereRef('message.scope_key', '=', 'proxy_scopes.key'),
        ),
      ),
    )
    .execute();
}

function plus(one: Freed, other: Freed): Freed {
  return {
    messages: one.messages + other.messages,
    passes: one.passes + other.passes,
    bytes: one.bytes + other.bytes,
  };
}
