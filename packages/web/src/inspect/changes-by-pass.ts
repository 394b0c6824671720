import { changeKey } from '@throughline/core/internal';
import type { Change } from '@throughline/core/types';
import type { Inspected, InspectedPass } from './inspected.ts';

const known = new WeakMap<Inspected, ReadonlyMap<string, InspectedPass>>();

/** The pass that brought a change into force; `undefined` for a result that was cut before it was sent at all. */
export function passOf(inspected: Inspected, change: Change): InspectedPass | undefined {
  const passes = known.get(inspected) ?? byChange(inspected);
  known.set(inspected, passes);
  return passes.get(changeKey(change));
}

/** One that was undone may have made the same change as one in force: that one counts, and of several the oldest. */
function byChange({ passes }: Inspected): ReadonlyMap<string, InspectedPass> {
  const byKey = new Map<string, InspectedPass>();
  const inOrder = [...passes].sort(
    (a, b) => Number(b.isInForce) - Number(a.isInForce) || a.number - b.number,
  );
  for (const pass of inOrder) {
    for (const change of pass.checkpoint.changes) {
      const key = changeKey(change);
      if (!byKey.has(key)) byKey.set(key, pass);
    }
  }
  return byKey;
}

/** Index of the first step that was sent under a pass; `null` where none was. */
export function firstStepUnder({ steps }: Inspected, { id, checkpoint }: InspectedPass): number | null {
  const index = steps.findIndex(({ head, historyLength }) =>
    head === undefined ? historyLength >= checkpoint.historyEnd : head === id,
  );
  return index < 0 ? null : index;
}
