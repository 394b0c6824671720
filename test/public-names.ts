import { readFileSync } from 'node:fs';
import { exportedNamesOf, root } from './source.ts';

const entry = 'packages/core/src/index.ts';

/** The checked-in list of what `@throughline/core` exports. */
export const listPath = `${root}/packages/core/api.txt`;

/** What that list must say now. */
export function currentNames(): string {
  const names = exportedNamesOf(entry, readFileSync(`${root}/${entry}`, 'utf8'));
  return names.map((name) => `${name}\n`).join('');
}
