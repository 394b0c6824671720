import { isRangeChange } from './replay.ts';
import type { Change, RangeAnchor, RangeChange } from './change.ts';

export interface Merged {
  /** What is in force from now on. */
  readonly live: readonly Change[];
  /** What the new changes replaced: kept with the checkpoint, so that undo can bring it back. */
  readonly retired: readonly Change[];
}

/**
 * Adds changes to those in force. A newer change of the same part replaces the older one; a range change retires
 * every change of a message it covers, except of those that stay in the view.
 */
export function mergeChanges(live: readonly Change[], added: readonly Change[]): Merged {
  if (added.length === 0) return { live, retired: [] };
  const ranges = added.filter(isRangeChange);
  const replaced = new Set(added.flatMap((change) => (isRangeChange(change) ? [] : [partKey(change)])));
  const kept: Change[] = [];
  const retired: Change[] = [];
  for (const change of live) {
    const isGone =
      ranges.some((range) => covers(range, change)) ||
      (!isRangeChange(change) && replaced.has(partKey(change)));
    (isGone ? retired : kept).push(change);
  }
  const isStillSeen = (change: Change): boolean =>
    isRangeChange(change) || !ranges.some((range) => covers(range, change));
  return { live: [...kept, ...added.filter(isStillSeen)], retired };
}

function partKey(change: Exclude<Change, RangeChange>): string {
  return `${change.anchor.ordinal}.${change.anchor.part}`;
}

function covers(range: RangeChange, change: Change): boolean {
  if (isRangeChange(change)) return overlaps(range.anchor, change.anchor);
  const { ordinal } = change.anchor;
  const { first, end, lead, kept } = range.anchor;
  return ordinal >= first && ordinal < end && !lead.includes(ordinal) && !kept.includes(ordinal);
}

function overlaps(a: RangeAnchor, b: RangeAnchor): boolean {
  return a.first < b.end && b.first < a.end;
}
