import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namesOf } from './names.ts';

describe('visitNames', () => {
  it('finds paths, files, URLs, identifiers, hashes, tickets and numbers', () => {
    const text =
      'See src/app/main.ts, ./b.js and ../lib/x.py (https://example.com/a?b=1). fooBar, FooBar, FOO_BAR, 9f1c2ab, ABC-1234, port 8080.';
    expect([...namesOf(text)]).toEqual([
      'src/app/main.ts',
      './b.js',
      '../lib/x.py',
      'https://example.com/a?b=1',
      'fooBar',
      'FooBar',
      'FOO_BAR',
      '9f1c2ab',
      'ABC-1234',
      '8080',
    ]);
  });

  it('takes the line end of quoted JSON for no part of a name', () => {
    expect([...namesOf('{"text":"1\\n2\\tsidebarItem\\nsrc/a.ts"}')]).toEqual(['sidebarItem', 'src/a.ts']);
  });

  it('leaves a path of Windows as it is', () => {
    expect([...namesOf('see src\\new_module.ts')]).toEqual(['new_module.ts']);
    expect([...namesOf('{"path":"src\\\\new_module.ts"}')]).toEqual(['new_module.ts']);
  });

  it('finds none in prose', () => {
    expect([...namesOf('We found the cause, and it was not what we thought: 12 of them failed.')]).toEqual(
      [],
    );
  });

  it('finds each name where it stands, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        for (const name of namesOf(text)) expect(text).toContain(name);
      }),
    );
  });
});
