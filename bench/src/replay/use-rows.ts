import type { StepView } from '@throughline/replay';

/** By step with uses: uses and hits of all, of far and of far locators. */
export type UseRows = readonly (readonly [
  uses: number,
  hits: number,
  farUses: number,
  farHits: number,
  locatorFarUses: number,
  locatorFarHits: number,
])[];

/** Notes uses and hits step by step, so that they can be resampled. */
export function createUseRows(): { readonly rows: UseRows; add(view: StepView): void } {
  const rows: [number, number, number, number, number, number][] = [];
  return {
    rows,
    add({ step, seen }) {
      if (!step.isMeasured || step.uses.length === 0) return;
      const row: [number, number, number, number, number, number] = [0, 0, 0, 0, 0, 0];
      for (const { entity, isFar, isLocator } of step.uses) {
        const hit = seen.findLast(({ searchText }) => searchText.includes(entity)) === undefined ? 0 : 1;
        row[0] += 1;
        row[1] += hit;
        if (!isFar) continue;
        row[2] += 1;
        row[3] += hit;
        if (!isLocator) continue;
        row[4] += 1;
        row[5] += hit;
      }
      rows.push(row);
    },
  };
}
