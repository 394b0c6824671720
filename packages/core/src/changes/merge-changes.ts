import { changesNotIn, isRangeChange, takesOut } from './change.ts';
import type { Change, PartLevelChange, RangeChange } from './change.ts';

/**
 * Adds changes to those in force: what is in force from now on. A newer change of the same part replaces the older one; a
 * range change retires every change of a message it covers, except of those that stay in the view.
 *
 * `began` is what was in force when the step began: of anything that came later and is replaced again, the new change
 * takes over what it was made from. So the changes of a step add up to what it saved, each message counted once.
 */
export function mergeChanges(
  live: readonly Change[],
  added: readonly Change[],
  began: readonly Change[] = live,
): readonly Change[] {
  if (added.length === 0) return live;
  const ranges = added.filter(isRangeChange).map(reachOf);
  const parts = new Map<string, PartLevelChange>();
  for (const change of added) if (!isRangeChange(change)) parts.set(partKey(change), change);
  const heirOf = (change: Change): Change | undefined =>
    ranges.find(({ covers }) => covers(change))?.range ??
    (isRangeChange(change) ? undefined : parts.get(partKey(change)));
  const kept: Change[] = [];
  const retired = new Map<Change, Change>();
  for (const change of live) {
    const heir = heirOf(change);
    if (heir) retired.set(change, heir);
    else kept.push(change);
  }
  const seen = added.filter(
    (change) => isRangeChange(change) || !ranges.some(({ covers }) => covers(change)),
  );
  return [...kept, ...inherited(seen, retired, began)];
}

/** The new changes, those that replace something of the same step counted from where that began. */
function inherited(
  added: readonly Change[],
  retired: ReadonlyMap<Change, Change>,
  began: readonly Change[],
): readonly Change[] {
  const savedTokens = new Map<Change, number>();
  for (const change of changesNotIn([...retired.keys()], began)) {
    const heir = retired.get(change);
    if (!heir) continue;
    const saved = change.beforeTokens - change.afterTokens;
    savedTokens.set(heir, (savedTokens.get(heir) ?? 0) + saved);
  }
  if (savedTokens.size === 0) return added;
  return added.map((change) => {
    const saved = savedTokens.get(change) ?? 0;
    return saved === 0 ? change : { ...change, beforeTokens: change.beforeTokens + saved };
  });
}

function partKey({ anchor }: PartLevelChange): string {
  return `${anchor.ordinal}.${anchor.part}`;
}

interface Reach {
  readonly range: RangeChange;
  readonly covers: (change: Change) => boolean;
}

function reachOf(range: RangeChange): Reach {
  const { first, end } = range.anchor;
  const takes = takesOut(range.anchor);
  return {
    range,
    covers: (change) =>
      isRangeChange(change)
        ? first < change.anchor.end && change.anchor.first < end
        : takes(change.anchor.ordinal),
  };
}
