import { describe, expect, it } from 'vitest';
import { entitiesOf, entityPatterns } from './entities.ts';

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

  it('finds nothing in plain words and small numbers', () => {
    expect([...entitiesOf('The two tests pass in 12 seconds, I think. Done')]).toEqual([]);
  });

  it('takes long runs of one kind in a moment', () => {
    const start = performance.now();
    for (const run of ['a', 'aB', 'a_', '1', 'a/', 'a.', '-', 'f0']) {
      for (const { pattern } of entityPatterns) run.repeat(100_000).match(pattern);
    }
    expect(performance.now() - start).toBeLessThan(3_000);
  });
});
