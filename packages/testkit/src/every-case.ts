import type { Plugin } from 'fast-check';

/** By this name the runner of short tests learns of such a law: it shares no module with this package. */
const everyCaseKey = Symbol.for('throughline:every-case');

/** By this name it learns how many cases of a dear law a default run tries. */
const everydayCasesKey = Symbol.for('throughline:everyday-cases');

/**
 * For a law whose cases are dear: a default run tries its first `cases`, and `npm run test:deep` all of them. So many
 * that they find the faults that were planted for the law.
 */
export function everyday(cases: number): Plugin<unknown> {
  return (_, store) => {
    store.set(everydayCasesKey, cases);
    return {};
  };
}

/** For a law whose test counts what it has met: `npm run test:fast`, too, tries all of its cases. */
export const everyCase: Plugin<unknown> = (_, store) => {
  store.set(everyCaseKey, true);
  return {};
};

/** Whether this is `npm run test:deep`: tests whose rounds are no cases of a law make all of them then. */
export const isDeepRun: boolean = process.env['THROUGHLINE_LAW_ROUNDS'] === 'all';
