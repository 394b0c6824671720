import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findFacts } from './find-facts.ts';
import { hostileText } from '../../test/summary/builders.ts';

function facts(text: string): string[] {
  const found: string[] = [];
  findFacts(text, (start, end, kind) => found.push(`${kind} ${text.slice(start, end)}`));
  return found;
}

describe('findFacts', () => {
  it.each([
    ['Edit src/foo/bar.ts:12:5 now.', ['path src/foo/bar.ts']],
    ['./a/b and ../x/y.md or ~/z/w', ['path ./a/b', 'path ../x/y.md', 'path ~/z/w']],
    ['see (https://example.com/a?x=1#z).', ['url https://example.com/a?x=1#z']],
    ['C:\\Users\\me\\a.txt', ['path C:\\Users\\me\\a.txt']],
    ['main.py, .gitignore', ['file main.py', 'file .gitignore']],
    [
      'camelCase PascalCase HTTPServer snake_case',
      ['identifier camelCase', 'identifier PascalCase', 'identifier HTTPServer', 'identifier snake_case'],
    ],
    ['FOO_BAR=1 cmd --no-cache', ['variable FOO_BAR', 'flag --no-cache']],
    ['#1234 ABC-123', ['ticket #1234', 'ticket ABC-123']],
    [
      '3f2a9bc 550e8400-e29b-41d4-a716-446655440000',
      ['hash 3f2a9bc', 'hash 550e8400-e29b-41d4-a716-446655440000'],
    ],
    ['v24.21.0, 1.2.3', ['version v24.21.0', 'version 1.2.3']],
    ['port 8080 of 12', ['number 8080']],
    ['`list.map(x)` uses config.maxTokens', ['identifier maxTokens']],
    ['</FooBar> // a comment', ['identifier FooBar']],
    ['ファイルsrc/app.tsを編集', ['path src/app.ts']],
    ['docs/résumé.md', ['path docs/résumé.md']],
  ])('finds what is in %j', (text, expected) => {
    expect(facts(text)).toEqual(expected);
  });

  it('finds nothing in plain prose', () => {
    expect(facts('The quick brown fox. It jumps, then it sleeps! "Well," said URLs.')).toEqual([]);
  });

  it('skips the line numbers of a listing, and keeps numbers that stand elsewhere', () => {
    const found: string[] = [];
    const listing = '   203→  timeout: 4500\n   204→}\n1024\tport 8080\n512|x';
    findFacts(listing, (start, end) => found.push(listing.slice(start, end)));
    expect(found).toEqual(['4500', '8080']);
  });

  it('skips base64', () => {
    const blob =
      'aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRlc3QgV29ybGQgSGVsbG8gZm9vIGJhciBiYXogcXV4IHF1dXggY29yZ2UgZ3JhdWx0';
    expect(facts(`${blob}/${blob}+${blob}== ${blob}`)).toEqual([]);
  });

  it('visits spans in order, inside the text, never overlapping', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        let last = 0;
        findFacts(text, (start, end) => {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          last = end;
        });
      }),
    );
  });

  it.each(['a', '/', 'a.', '-', 'aB', 'https://', '_', 'a/', '9', 'C:\\', '<', '日'])(
    'comes through a million repetitions of %j (in quadratic time it would not, before the time-out)',
    (unit) => {
      const text = unit.repeat(1_000_000);
      facts(text.slice(0, 2_000_000));
    },
  );
});
