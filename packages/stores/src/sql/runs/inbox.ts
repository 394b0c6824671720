import { alreadyExists } from '../kit/failures.ts';
import { isHeld } from '../kit/leases.ts';
import { accepted } from '../kit/index-terms.ts';
import { appendMessage, findMessage } from '../messages/write-messages.ts';
import type { Json } from '@throughline/core/codec';
import type {
  Emit,
  Inbox,
  InboxChange,
  InboxItem,
  InboxState,
  RunWrite,
  StoredEvent,
  WaitingItem,
} from '@throughline/ports';
import type { Selectable } from 'kysely';
import type { Schema, Tables } from '../kit/schema.ts';
import type { SessionTransaction, SessionTransactions } from '../kit/session-transactions.ts';
import type { Begun } from '../messages/write-messages.ts';

type InboxRow = Selectable<Schema['inbox']>;
type Deliver = Extract<RunWrite, { type: 'deliver' }>;

export function inboxOf(transactions: SessionTransactions): Inbox {
  return {
    accept: (sessionId, { id, content }, emit) =>
      transactions.change(sessionId, async (work) => {
        const known = id === undefined ? undefined : await itemRow(work.tx, work.key, id);
        if (known) return { item: await waitingAgain(work, known), events: [] };
        // It is delivered under this id: one that a message has would be in the way of all that wait.
        if (id !== undefined && (await findMessage(work, id))) throw alreadyExists('message', id);
        const item = await insert(work, id ?? work.around.ids.nextId('inbox'), content);
        return emitted(work, item, emit);
      }),
    waiting: (sessionId) => transactions.look(sessionId, (tables, row) => readWaiting(tables, row.key)),
    item: (sessionId, id) =>
      transactions.look(sessionId, async (tables, row) => {
        const found = await itemRow(tables, row.key, id);
        return found && itemOf(found);
      }),
    edit: (sessionId, { id, content }, emit) =>
      transactions.change(sessionId, (work) =>
        changeItem(work, id, { content: JSON.stringify(content) }, emit),
      ),
    move: (sessionId, place, emit) => transactions.change(sessionId, (work) => moveItem(work, place, emit)),
    remove: (sessionId, id, emit) =>
      transactions.change(sessionId, (work) => changeItem(work, id, { state: 'removed' }, emit)),
  };
}

/** All that waits, or one item, becomes one message: see `RunWrite`. */
export async function deliver(
  work: SessionTransaction,
  { only, runId, compose }: Deliver,
): Promise<{
  readonly begun: readonly Begun[];
  readonly events: readonly StoredEvent[];
  readonly items: readonly InboxItem[];
}> {
  const all = await readWaiting(work.tx, work.key);
  const waiting = only === undefined ? all : all.filter(({ id }) => id === only);
  if (waiting.length === 0) return { begun: [], events: [], items: [] };
  const { message, events = [] } = compose(waiting);
  const begun = await appendMessage(work, message);
  await work.tx
    .updateTable('inbox')
    .set({ state: 'delivered', updated_at_ms: work.nowMs, message_id: begun.id, run_id: runId ?? null })
    .where('session_key', '=', work.key)
    .where('state', '=', accepted)
    .$if(only !== undefined, (some) => some.where('id', '=', only ?? ''))
    .execute();
  const items = waiting.map(({ id, content, acceptedAtMs }): InboxItem => {
    const became = { updatedAtMs: work.nowMs, messageId: begun.id, runId: runId ?? null };
    return { id, state: 'delivered', content, acceptedAtMs, ...became };
  });
  return { begun: [begun], events: work.appendEvents(events), items };
}

async function readWaiting(tables: Tables, sessionKey: number): Promise<readonly WaitingItem[]> {
  const rows = await tables
    .selectFrom('inbox')
    .selectAll()
    .where('session_key', '=', sessionKey)
    .where('state', '=', accepted)
    .orderBy('position')
    .execute();
  return rows.map((row, index) => ({ ...itemOf(row), state: 'accepted', position: index + 1 }));
}

async function itemRow(tables: Tables, sessionKey: number, id: string): Promise<InboxRow | undefined> {
  return tables
    .selectFrom('inbox')
    .selectAll()
    .where('session_key', '=', sessionKey)
    .where('id', '=', id)
    .executeTakeFirst();
}

async function waitingItem(work: SessionTransaction, id: string): Promise<WaitingItem | undefined> {
  return (await readWaiting(work.tx, work.key)).find((item) => item.id === id);
}

async function waitingAgain(work: SessionTransaction, { id }: InboxRow): Promise<WaitingItem> {
  const item = await waitingItem(work, id);
  if (!item) throw alreadyExists('inbox item', id);
  return item;
}

async function insert(work: SessionTransaction, id: string, content: Json): Promise<WaitingItem> {
  const row: InboxRow = {
    session_key: work.key,
    position: work.count('inbox_count'),
    id,
    state: 'accepted',
    content: JSON.stringify(content),
    accepted_at_ms: work.nowMs,
    updated_at_ms: work.nowMs,
    message_id: null,
    run_id: null,
  };
  await work.tx.insertInto('inbox').values(row).execute();
  const waiting = await readWaiting(work.tx, work.key);
  return { ...itemOf(row), state: 'accepted', position: waiting.length };
}

async function changeItem(
  work: SessionTransaction,
  id: string,
  change: { readonly content: string } | { readonly state: 'removed' },
  emit: Emit<WaitingItem> | undefined,
): Promise<InboxChange | undefined> {
  const item = await waitingItem(work, id);
  if (!item) return undefined;
  await work.tx
    .updateTable('inbox')
    .set({ ...change, updated_at_ms: work.nowMs })
    .where('session_key', '=', work.key)
    .where('id', '=', id)
    .execute();
  const changed = 'content' in change ? await waitingItem(work, id) : { ...item, updatedAtMs: work.nowMs };
  return emitted(work, changed ?? item, emit);
}

/** The places of what waits stay; who has which of them is dealt anew. */
async function moveItem(
  work: SessionTransaction,
  { id, position }: { readonly id: string; readonly position: number },
  emit: Emit<WaitingItem> | undefined,
): Promise<InboxChange | undefined> {
  const rows = await work.tx
    .selectFrom('inbox')
    .select(['id', 'position'])
    .where('session_key', '=', work.key)
    .where('state', '=', accepted)
    .orderBy('position')
    .execute();
  if (!rows.some((row) => row.id === id)) return undefined;
  const others = rows.filter((row) => row.id !== id).map((row) => row.id);
  const at = Math.max(0, Math.min(others.length, Math.trunc(position) - 1));
  const order = others.toSpliced(at, 0, id);
  const moved = rows.flatMap((row, index) => {
    const next = order[index];
    return next === undefined || next === row.id ? [] : [{ id: next, position: row.position }];
  });
  // A place is free once its item has left it: first all go below zero.
  for (const { id: one, position: to } of moved) await placeItem(work, one, -1 - to);
  for (const { id: one, position: to } of moved) await placeItem(work, one, to);
  const item = await waitingItem(work, id);
  return item && emitted(work, item, emit);
}

async function placeItem(work: SessionTransaction, id: string, position: number): Promise<void> {
  await work.tx
    .updateTable('inbox')
    .set({ position })
    .where('session_key', '=', work.key)
    .where('id', '=', id)
    .execute();
}

async function emitted(
  work: SessionTransaction,
  item: WaitingItem,
  emit: Emit<WaitingItem> | undefined,
): Promise<InboxChange> {
  const isLeased = isHeld(work.row, work.around);
  return { item, events: work.appendEvents(emit?.(item, { isLeased }) ?? []) };
}

function itemOf(row: InboxRow): InboxItem {
  return {
    id: row.id,
    state: row.state as InboxState,
    content: JSON.parse(row.content) as Json,
    acceptedAtMs: row.accepted_at_ms,
    updatedAtMs: row.updated_at_ms,
    messageId: row.message_id,
    runId: row.run_id,
  };
}
