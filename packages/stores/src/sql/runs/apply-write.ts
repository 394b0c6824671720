import { alreadyExists, notFound } from '../kit/failures.ts';
import { asLost, requireLease } from '../kit/leases.ts';
import {
  appendMessage,
  appendPart,
  appendText,
  finishMessage,
  finishPart,
} from '../messages/write-messages.ts';
import { addUsage } from './owner-usage.ts';
import { deliver } from './inbox.ts';
import { writeCheckpoint, writeState } from './write-state.ts';
import type { Json } from '@throughline/core/codec';
import type { InboxItem, Lease, RunWrite, StoredEvent, Written } from '@throughline/ports';
import type { SessionTransaction, SessionTransactions } from '../kit/session-transactions.ts';
import type { Begun } from '../messages/write-messages.ts';

/** What the writes of one transaction come to, as it grows. */
interface Result {
  readonly messages: Begun[];
  readonly events: StoredEvent[];
  readonly delivered: InboxItem[];
  readonly epoch: number;
}

type Writers = {
  readonly [Type in RunWrite['type']]: (
    work: SessionTransaction,
    write: Extract<RunWrite, { type: Type }>,
    result: Result,
  ) => Promise<void>;
};

/** One row per kind of write: a new one does not compile without. */
const writers: Writers = {
  message: async (work, write, { messages }) => void messages.push(await appendMessage(work, write)),
  part: appendPart,
  text: appendText,
  'finish-part': finishPart,
  'finish-message': finishMessage,
  state: (work, { state }) => writeState(work, state),
  checkpoint: writeCheckpoint,
  deliver: async (work, write, { messages, events, delivered }) => {
    const done = await deliver(work, write);
    messages.push(...done.begun);
    events.push(...done.events);
    delivered.push(...done.items);
  },
  event: async (work, { event }, { events }) => void events.push(...work.appendEvents([event])),
  usage: addUsage,
  'run-started': startRun,
  'run-ended': endRun,
  approval: requestApproval,
  'approval-used': useApproval,
  value: setValue,
  status: async (work, { status }) => work.set({ status }),
  model: async (work, { model }) => work.set({ model }),
};

/** All writes of a run in one transaction, under its lease; see `SessionStore.write`. */
export async function applyWrites(
  transactions: SessionTransactions,
  lease: Lease,
  writes: readonly RunWrite[],
): Promise<Written> {
  try {
    return await transactions.change(lease.sessionId, async (work) => {
      requireLease(work.row, lease);
      const result: Result = { messages: [], events: [], delivered: [], epoch: lease.epoch };
      for (const write of writes) await applyOne(work, write, result);
      const { messages, events, delivered } = result;
      return { messages, events, delivered };
    });
  } catch (error) {
    throw asLost(error, lease);
  }
}

function applyOne<Type extends RunWrite['type']>(
  work: SessionTransaction,
  write: Extract<RunWrite, { type: Type }>,
  result: Result,
): Promise<void> {
  const apply: (
    work: SessionTransaction,
    write: Extract<RunWrite, { type: Type }>,
    result: Result,
  ) => Promise<void> = writers[write.type];
  return apply(work, write, result);
}

async function startRun(
  work: SessionTransaction,
  { runId }: { readonly runId: string },
  { epoch }: Result,
): Promise<void> {
  const { tx, key } = work;
  const begun = { id: runId, epoch, started_at_ms: work.nowMs, ended_at_ms: null, outcome: 'null' };
  const open = await tx
    .insertInto('runs')
    .values({ session_key: key, position: await nextPosition(work, 'runs'), ...begun })
    .onConflict((known) =>
      known.columns(['session_key', 'id']).doUpdateSet({ epoch }).where('runs.ended_at_ms', 'is', null),
    )
    .returning('id')
    .executeTakeFirst();
  if (!open) throw alreadyExists('run', runId);
}

async function nextPosition({ tx, key }: SessionTransaction, table: 'runs' | 'approvals'): Promise<number> {
  const newest = await tx
    .selectFrom(table)
    .select(({ fn }) => [fn.max('position').as('position')])
    .where('session_key', '=', key)
    .executeTakeFirst();
  return (newest?.position ?? -1) + 1;
}

async function endRun(
  work: SessionTransaction,
  { runId, outcome }: { readonly runId: string; readonly outcome: Json },
): Promise<void> {
  const ended = await work.tx
    .updateTable('runs')
    .set({ ended_at_ms: work.nowMs, outcome: JSON.stringify(outcome) })
    .where('session_key', '=', work.key)
    .where('id', '=', runId)
    .where('ended_at_ms', 'is', null)
    .executeTakeFirst();
  if (ended.numUpdatedRows === 0n) throw notFound('run', runId);
}

async function requestApproval(
  work: SessionTransaction,
  { id, request }: { readonly id: string; readonly request: Json },
): Promise<void> {
  const { tx, key } = work;
  const known = await tx
    .selectFrom('approvals')
    .select('id')
    .where('session_key', '=', key)
    .where('id', '=', id)
    .executeTakeFirst();
  if (known) throw alreadyExists('approval', id);
  const position = await nextPosition(work, 'approvals');
  const asked = { id, position, request: JSON.stringify(request), requested_at_ms: work.nowMs, answer: null };
  await tx
    .insertInto('approvals')
    .values({ session_key: key, ...asked })
    .execute();
}

async function useApproval({ tx, key }: SessionTransaction, { id }: { readonly id: string }): Promise<void> {
  await tx.deleteFrom('approvals').where('session_key', '=', key).where('id', '=', id).execute();
}

/** A named value of a session; `null` takes it away. */
export async function setValue(
  work: SessionTransaction,
  { name, value }: { readonly name: string; readonly value: Json },
): Promise<void> {
  await work.tx
    .deleteFrom('session_values')
    .where('session_key', '=', work.key)
    .where('name', '=', name)
    .execute();
  if (value === null) return;
  await work.tx
    .insertInto('session_values')
    .values({ session_key: work.key, name, value: JSON.stringify(value) })
    .execute();
}
