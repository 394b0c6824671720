import { ContextError } from '@throughline/core';
import { isRangeChange } from '@throughline/core/internal';
import { alreadyExists, notFound } from '../kit/failures.ts';
import type { Checkpoint, ContextState } from '@throughline/core';
import type { Json } from '@throughline/core/codec';
import type { Change } from '@throughline/core/types';
import type { StoredChanges } from '../kit/known-rows.ts';
import type { SessionTransaction } from '../kit/session-transactions.ts';

/** Changes that put a placeholder in the place of a part. */
const prunes: ReadonlySet<Change['type']> = new Set(['result-pruned', 'arguments-pruned']);
/** What a session has that has no state yet. */
const noChanges: StoredChanges = { version: 0, changes: [], texts: [] };
/** Parameters of one statement are limited. */
const rowsPerInsert = 200;

/** Stores the state of the next step: of a list of changes only what is not stored yet. */
export async function writeState(work: SessionTransaction, state: ContextState): Promise<void> {
  const { row } = work;
  const { head } = state;
  if (head !== null && head !== row.head_checkpoint && !(await hasCheckpoint(work, head)))
    throw notFound('checkpoint', head);
  const version = row.state_version + 1;
  const { changes, ...rest } = state;
  work.set({
    state: JSON.stringify({ ...rest, changes: [] }),
    state_version: version,
    head_checkpoint: state.head,
  });
  await writeChanges(work, changes, version);
}

/** A compaction in force: its summary, its changes, the head and the counters. */
export async function writeCheckpoint(
  work: SessionTransaction,
  { checkpoint, state, cost }: { checkpoint: Checkpoint; state: ContextState; cost?: Json },
): Promise<void> {
  if (state.head !== checkpoint.id) {
    throw new ContextError('invalid-option', 'The state of a checkpoint has it as its head.', {
      option: 'state.head',
      expected: checkpoint.id,
      received: state.head,
    });
  }
  if (await hasCheckpoint(work, checkpoint.id)) throw alreadyExists('checkpoint', checkpoint.id);
  const position = work.row.compaction_count;
  work.set({ compaction_count: position + 1, last_compaction_at_ms: work.nowMs });
  const range = checkpoint.changes.find(isRangeChange);
  await work.tx
    .insertInto('checkpoints')
    .values({
      session_key: work.key,
      id: checkpoint.id,
      position,
      parent: checkpoint.parent,
      round: range?.summary.round ?? null,
      reason: checkpoint.reason,
      strategy: checkpoint.strategy,
      tokens_before: checkpoint.tokensBefore,
      tokens_after: checkpoint.tokensAfter,
      range_first: range?.anchor.first ?? null,
      range_end: range?.anchor.end ?? null,
      summary: range?.text.toWellFormed() ?? null,
      cost: cost === undefined ? null : JSON.stringify(cost),
      created_at_ms: work.nowMs,
      checkpoint: JSON.stringify(checkpoint),
    })
    .execute();
  await writeState(work, state);
}

async function hasCheckpoint(work: SessionTransaction, id: string): Promise<boolean> {
  const found = await work.tx
    .selectFrom('checkpoints')
    .select('id')
    .where('session_key', '=', work.key)
    .where('id', '=', id)
    .executeTakeFirst();
  return found !== undefined;
}

async function writeChanges(
  work: SessionTransaction,
  changes: readonly Change[],
  version: number,
): Promise<void> {
  const { knownChanges } = work.around;
  const known = work.known.changes ?? (version === 1 ? noChanges : knownChanges.get(work.key, version - 1));
  const former = known?.texts ?? (await storedTexts(work));
  const same = known ? sameBeginning(known.changes, changes) : 0;
  const texts = changes.map((change, index) =>
    index < same ? (former[index] ?? '') : JSON.stringify(change),
  );
  const kept = sameBeginning(former, texts);
  if (kept < former.length) {
    await work.tx
      .deleteFrom('changes')
      .where('session_key', '=', work.key)
      .where('position', '>=', kept)
      .execute();
  }
  for (let first = kept; first < texts.length; first += rowsPerInsert) {
    const rows = texts.slice(first, first + rowsPerInsert).map((change, index) => ({
      session_key: work.key,
      position: first + index,
      change,
    }));
    await work.tx.insertInto('changes').values(rows).execute();
  }
  await markParts(work, { former, texts, changes, kept });
  const stored = { version, changes, texts };
  work.known.changes = stored;
  work.afterwards.push(() => knownChanges.set(work.key, stored));
}

async function storedTexts(work: SessionTransaction): Promise<readonly string[]> {
  const rows = await work.tx
    .selectFrom('changes')
    .select('change')
    .where('session_key', '=', work.key)
    .orderBy('position')
    .execute();
  return rows.map(({ change }) => change);
}

function sameBeginning(left: readonly unknown[], right: readonly unknown[]): number {
  const end = Math.min(left.length, right.length);
  let index = 0;
  while (index < end && left[index] === right[index]) index += 1;
  return index;
}

interface ChangedLists {
  readonly former: readonly string[];
  readonly texts: readonly string[];
  readonly changes: readonly Change[];
  /** As far as the lists are the same. */
  readonly kept: number;
}

/** `compacted_at` of the parts: set while a change shows something in their place, or a range hides them. */
async function markParts(
  work: SessionTransaction,
  { former, texts, changes, kept }: ChangedLists,
): Promise<void> {
  const before = new Set(former.slice(kept));
  const after = new Set(texts.slice(kept));
  const ranges = changes.filter(isRangeChange);
  for (const [offset, text] of texts.slice(kept).entries()) {
    const change = changes[kept + offset];
    if (change && !before.has(text)) await markPart(work, change, work.nowMs);
  }
  for (const text of former.slice(kept)) {
    if (after.has(text)) continue;
    const change = JSON.parse(text) as Change;
    const isHidden = ranges.some(({ anchor }) => {
      const { ordinal } = isRangeChange(change) ? { ordinal: -1 } : change.anchor;
      return anchor.first <= ordinal && ordinal < anchor.end;
    });
    if (!isHidden) await markPart(work, change, null);
  }
}

async function markPart(work: SessionTransaction, change: Change, atMs: number | null): Promise<void> {
  if (isRangeChange(change) || !prunes.has(change.type)) return;
  const { ordinal, part } = change.anchor;
  await work.tx
    .updateTable('parts')
    .set({ compacted_at_ms: atMs })
    .where('session_key', '=', work.key)
    .where('ordinal', '=', ordinal)
    .where('part', '=', part)
    .execute();
}
