import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inventedNames, knownNames, namesOf } from './names.ts';

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

  it('takes a printed line end in front of a capital for no part of a name, and a path for one', () => {
    expect([...namesOf('printf("\\nDifferentFiles\\nInBoth")')]).toEqual(['DifferentFiles', 'InBoth']);
    expect([...namesOf('see C:\\src\\nMine')]).toEqual(['nMine']);
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

  it('takes the end of an element and a colour for none', () => {
    expect([...namesOf('<div style="color:#1a1e24;fill:#00D084FF">see #1533 in /srv/div</div>')]).toEqual([
      '1533',
      '/srv/div',
    ]);
  });

  it('finds each name where it stands, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        for (const name of namesOf(text)) expect(text).toContain(name);
      }),
    );
  });
});

describe('knownNames', () => {
  it('knows without a text to compose from only what stands in a source', () => {
    const said = 'We build and test src/auth/token.ts in lines 57 to 81.';
    const names = '/home/u/src/auth/token.ts, build/test, 57-81 and token.ts';
    expect(inventedNames(names, knownNames([said]))).toEqual([
      '/home/u/src/auth/token.ts',
      'build/test',
      '57-81',
    ]);
    expect(inventedNames(names, knownNames([said], `${said} /home/u`))).toEqual([]);
  });

  it('takes the file of one package for none of another, where each has such a file', () => {
    const said =
      'Read packages/core/src/index.ts, packages/web/package.json and packages/core/src/token-store.ts.';
    const isKnown = knownNames([said], said);
    expect(inventedNames('packages/web/src/index.ts and packages/web/token.ts', isKnown)).toHaveLength(2);
    expect(inventedNames('web/token-store.ts', isKnown)).toEqual([]);
  });

  it('composes nothing any more once a hundred million characters were read', () => {
    const text = `alpha.ts beta.ts ${Array.from({ length: 40 }, (_, at) => `dir${at}`).join(' ')} ${' '.repeat(20_000_000)}`;
    const isKnown = knownNames([text], text);
    expect(isKnown('dir0/alpha.ts')).toBe(true);
    const later = Array.from({ length: 10 }, (_, at) => isKnown(`dir${at + 1}/beta.ts`));
    expect(later.at(-1)).toBe(false);
    // What was asked before is remembered.
    expect(isKnown('dir0/alpha.ts')).toBe(true);
  });
});
