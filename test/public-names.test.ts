import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { currentNames, listPath, namesOf } from './public-names.ts';
import { exportedNamesOf, readSources, root } from './source.ts';

/** Names that files import from an entry of core. */
function imported(entry: string, patterns: readonly string[]): readonly string[] {
  const statement = new RegExp(`(?:import|export)(?: type)? \\{([^}]*)\\} from '${entry}'`, 'g');
  return Object.values(readSources(patterns)).flatMap((text) =>
    [...text.matchAll(statement)].flatMap(([, names = '']) =>
      names.split(',').map((name) => name.trim().replace(/^type | as .*/g, '')),
    ),
  );
}

const bare = (names: readonly string[]): readonly string[] => names.map((name) => name.replace('type ', ''));

describe('the public names of core', () => {
  it('are those of packages/core/api.txt; `npm run api:update` rewrites it', () => {
    expect(currentNames().split('\n')).toEqual(readFileSync(listPath, 'utf8').split('\n'));
  });

  it('have one entry each, but for the two types that users and writers of codecs both name', () => {
    const all = ['index', 'codec', 'types', 'internal'].flatMap((file) => bare(namesOf(file)));
    expect(all.filter((name, index) => all.indexOf(name) !== index).toSorted()).toEqual(['Codec', 'Entry']);
  });

  it('have an example or a reason each in docs/core-api.md, and no other name has one', () => {
    const page = readFileSync(`${root}/docs/core-api.md`, 'utf8');
    const table = page.slice(0, page.indexOf('\n## `@throughline/core/codec`'));
    const rows = [...table.matchAll(/^\| (`[^|]+`) \| ([^|]+) \|$/gm)];
    const named = rows.flatMap(([, names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(named.toSorted()).toEqual(bare(namesOf('index')).toSorted());
  });

  it('are enough for the examples', () => {
    expect(imported('@throughline/core/internal', ['examples/**/*.ts'])).toEqual([]);
  });

  it('leave to `internal` only what another package uses', () => {
    const used = new Set(imported('@throughline/core/internal', ['{packages,bench,test}/**/*.ts']));
    expect(bare(namesOf('internal')).filter((name) => !used.has(name))).toEqual([]);
  });

  it('hold those of the light entry `settings`, or the packages of this workspace have them', () => {
    const known = [...namesOf('index'), ...namesOf('internal')];
    expect(namesOf('settings').filter((name) => !known.includes(name))).toEqual(['readPercentage']);
    expect(namesOf('settings')).toContain('ContextError');
  });
});

describe('exportedNamesOf', () => {
  const names = (text: string): readonly string[] => exportedNamesOf('index.ts', text);

  it('lists names as users write them, with types marked', () => {
    const text = `
      export { prepare, type Step } from './context/prepare.ts';
      export type { Item as Entry } from './transcript/item.ts';
      export const one = 1, two = 2;
      export function resume(): void {}
      export interface Options {}`;
    expect(names(text)).toEqual([
      'type Entry',
      'type Options',
      'type Step',
      'one',
      'prepare',
      'resume',
      'two',
    ]);
  });

  it('notices a name that is gone, one that is new and a value that became a type', () => {
    const before = names(`export { a, b } from './a.ts';`);
    expect(names(`export { a } from './a.ts';`)).not.toEqual(before);
    expect(names(`export { a, b, c } from './a.ts';`)).not.toEqual(before);
    expect(names(`export { a, type b } from './a.ts';`)).not.toEqual(before);
  });

  it('refuses `export *`, which hides what is public', () => {
    expect(() => names(`export * from './a.ts';`)).toThrow('one by one');
  });
});
