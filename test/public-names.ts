import { readFileSync } from 'node:fs';
import { exportedNamesOf, root } from './source.ts';

/** What core promises: its entries, by the names under which they are imported. `internal` promises nothing. */
const entries = {
  '@throughline/core': 'index',
  '@throughline/core/codec': 'codec',
  '@throughline/core/types': 'types',
} as const;

/** The checked-in list of what `@throughline/core` exports. */
export const listPath = `${root}/packages/core/api.txt`;

/** The names of one file of `packages/core/src`, as users write them. */
export function namesOf(file: string): readonly string[] {
  const path = `packages/core/src/${file}.ts`;
  return exportedNamesOf(path, readFileSync(`${root}/${path}`, 'utf8'));
}

/** What that list must say now. */
export function currentNames(): string {
  const sections = Object.entries(entries).map(
    ([specifier, file]) => `# ${specifier}\n${namesOf(file).join('\n')}\n`,
  );
  return sections.join('\n');
}
