import { isRangeChange } from './replay.ts';
import type { Change } from './change.ts';

/**
 * What tells one change from another, as text: its kind, its place and what it writes there. Two changes with the
 * same key do the same thing, whatever the order of their fields is after a way through JSON or a database.
 */
export function changeKey(change: Change): string {
  const place = isRangeChange(change)
    ? [
        change.anchor.first,
        change.anchor.end,
        change.anchor.fingerprint,
        change.anchor.lead,
        change.anchor.kept,
      ]
    : [change.anchor.ordinal, change.anchor.part, change.anchor.fingerprint];
  return JSON.stringify([change.type, place, change.beforeTokens, change.afterTokens, writtenBy(change)]);
}

function writtenBy(change: Change): unknown {
  if (change.type === 'reasoning-dropped') return null;
  if (change.type === 'arguments-pruned') return change.values.map(({ at, text }) => [at, text]);
  return change.type === 'range-compacted' ? [change.text, change.factIndex?.text ?? null] : change.text;
}

/** The changes of one list that the other one lacks, in order; by what they do, not by identity. */
export function changesNotIn(changes: readonly Change[], others: readonly Change[]): readonly Change[] {
  if (changes === others) return [];
  const same = new Set(others);
  const rest = changes.filter((change) => !same.has(change));
  if (rest.length === 0) return rest;
  const mine = new Set(changes);
  const keys = new Set(others.filter((other) => !mine.has(other)).map(changeKey));
  return keys.size === 0 ? rest : rest.filter((change) => !keys.has(changeKey(change)));
}

/** Whether two lists hold the same changes in the same order. */
export function sameChanges(first: readonly Change[], second: readonly Change[]): boolean {
  if (first === second) return true;
  if (first.length !== second.length) return false;
  return first.every((change, index) => isSameChange(change, second[index]));
}

function isSameChange(change: Change, other: Change | undefined): boolean {
  return change === other || (other !== undefined && changeKey(change) === changeKey(other));
}
