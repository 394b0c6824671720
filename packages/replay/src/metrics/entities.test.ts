import { describe, expect, it } from 'vitest';
import { entitiesOf, entityKindOf, entityPatterns } from './entities.ts';

describe('entitiesOf', () => {
  it.each([
    ['path', 'open src/api/user-store.ts now', 'src/api/user-store.ts'],
    ['absolute path', 'in /home/app/main.go:12', '/home/app/main.go'],
    ['file name', 'see README.md.', 'README.md'],
    ['url', '(https://example.org/a?b=1).', 'https://example.org/a?b=1'],
    ['hash', 'commit 9fceb02d0a', '9fceb02d0a'],
    ['ticket', 'fixes ABC-1234,', 'ABC-1234'],
    ['camel case', 'call loadUserStore()', 'loadUserStore'],
    ['Pascal case', 'class UserStore {', 'UserStore'],
    ['snake case', 'the user_store table', 'user_store'],
    ['number', 'port 8080', '8080'],
  ])('finds a %s', (_kind, text, entity) => {
    expect([...entitiesOf(text)]).toContain(entity);
  });

  it('takes no member of an object for a file', () => {
    expect([...entitiesOf('logs.map(one => console.log(one.message, process.env))')]).toEqual([]);
  });

  it('finds nothing in plain words and small numbers', () => {
    expect([...entitiesOf('The two tests pass in 12 seconds, I think. Done')]).toEqual([]);
  });

  it('ends on long runs of one kind', () => {
    for (const run of ['a', 'aB', 'a_', '1', 'a/', 'a.', '-', 'f0'])
      for (const { pattern } of entityPatterns)
        expect(run.repeat(100_000).match(pattern)?.length ?? 0).toBeLessThan(100_000);
  });

  it('names the kind of an entity', () => {
    expect(['src/a.ts', 'a.ts', 'loadUser', '8080', 'and so on'].map(entityKindOf)).toEqual([
      'path',
      'file-name',
      'camel',
      'number',
      'other',
    ]);
  });
});
