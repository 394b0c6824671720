import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { currentNames, listPath } from './public-names.ts';
import { exportedNamesOf, root } from './source.ts';

describe('the public names of core', () => {
  it('are those of packages/core/api.txt; `npm run api:update` rewrites it', () => {
    expect(currentNames().split('\n')).toEqual(readFileSync(listPath, 'utf8').split('\n'));
  });

  it('hold those of the light entry `settings`, too', () => {
    const text = readFileSync(`${root}/packages/core/src/settings.ts`, 'utf8');
    const names = exportedNamesOf('settings.ts', text);
    expect(names.filter((name) => !currentNames().split('\n').includes(name))).toEqual([]);
    expect(names).toContain('ContextError');
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
