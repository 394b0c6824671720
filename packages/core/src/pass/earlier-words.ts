// What was stored with the words of before: version 1 of a state, and the changes and checkpoints of that time; version 2
// of what waits for a model. This reads what lies in files and databases: it is never edited, what is to be different is a new version.

import { isObject } from '../json/json.ts';

type Members = Readonly<Record<string, unknown>>;

const changeTypes: Readonly<Record<string, string>> = {
  'result-shortened': 'result-truncated',
  'result-cleared': 'result-pruned',
  'arguments-cleared': 'arguments-pruned',
  'text-shortened': 'text-truncated',
  'range-summarised': 'range-compacted',
};

/** The change in the words of today; the same object where it is in them already, or is no change at all. */
export function upgradeChange(change: unknown): unknown {
  if (!isObject(change) || typeof change['type'] !== 'string') return change;
  const { index, record, ...rest } = change;
  const type = Object.hasOwn(changeTypes, change['type']) ? changeTypes[change['type']] : change['type'];
  const isEarlier = type !== change['type'] || change['reason'] === 'admission' || record !== undefined;
  if (!isEarlier) return change;
  return {
    ...rest,
    type,
    ...(change['reason'] === 'admission' && { reason: 'truncation' }),
    ...(index !== undefined && { factIndex: index }),
    ...(record !== undefined && { summary: upgradeSummary(record) }),
  };
}

function upgradeSummary(record: unknown): unknown {
  if (!isObject(record)) return record;
  const { task, proseBy } = record;
  return {
    ...record,
    ...(proseBy === 'digest' && { proseBy: 'code' }),
    ...(isObject(task) && { task: renamed(task, 'isShortened', 'isTruncated') }),
  };
}

/** The checkpoint in the words of today; the same object where it is in them already, or is none. */
export function upgradeCheckpoint(checkpoint: unknown): unknown {
  if (!isObject(checkpoint) || !Object.hasOwn(checkpoint, 'admitted')) return checkpoint;
  const { changes, retired } = checkpoint;
  return {
    ...renamed(checkpoint, 'admitted', 'truncation'),
    changes: upgradeList(changes),
    retired: upgradeList(retired),
  };
}

/** The state in the words of today; the same object where it is of another version than the first, or is none. */
export function upgradeState(state: unknown): unknown {
  if (!isObject(state) || state['version'] !== 1) return state;
  const named = renamed(renamed(state, 'admitted', 'truncation'), 'isHeld', 'isAutoCompactionPaused');
  return { ...named, version: 2, changes: upgradeList(state['changes']) };
}

/**
 * A paused step, a background job or a summary in stock, flat as today; the same object where it is of another version than
 * the second, or is none.
 */
export function upgradeWaiting(waiting: unknown): unknown {
  if (!isObject(waiting) || waiting['version'] !== 2) return waiting;
  const { task, pending, ...rest } = waiting;
  // A job had a task of its own beside the one of its question; a paused step has a question and no task.
  const isJob = isObject(task);
  const question = isObject(pending) ? flattened(pending) : {};
  return { ...rest, ...(isJob ? { ...task, ...question } : { pending: question }), version: 3 };
}

function flattened(pending: Members): Members {
  const { task, job, ...rest } = pending;
  return { ...(isObject(job) && job), ...(isObject(task) && task), ...rest };
}

function upgradeList(changes: unknown): unknown {
  return Array.isArray(changes) ? changes.map(upgradeChange) : changes;
}

function renamed(members: Members, before: string, now: string): Members {
  if (!Object.hasOwn(members, before)) return members;
  const { [before]: value, ...rest } = members;
  return { ...rest, [now]: value };
}
