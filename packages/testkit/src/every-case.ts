import type { Plugin } from 'fast-check';

/** By this name the runner of short tests learns of such a law: it shares no module with this package. */
const everyCaseKey = Symbol.for('throughline:every-case');

/** For a law whose test counts what it has met: `npm run test:fast`, too, tries all of its cases. */
export const everyCase: Plugin<unknown> = (_, store) => {
  store.set(everyCaseKey, true);
  return {};
};
