import { describe, expect, it } from 'vitest';
import { inventedFacts } from './invented-facts.ts';

describe('inventedFacts', () => {
  it.each([
    ['nothing to name', 'It failed twice, and was then solved.', ''],
    ['the same path', 'see src/app/main.ts', 'read src/app/main.ts: 12 lines'],
    ['the end of a path', 'see main.ts', 'read src/app/main.ts'],
    ['a folder of it', 'in src/app', 'read src/app/main.ts'],
    ['a path said from the folder', 'see ./src/a.ts', 'read src/a.ts'],
    ['a number of a ticket', 'it is 4711', 'fixes #4711'],
    ['a ticket of a number', 'it is #4711', 'issue 4711'],
    ['a flag', 'with --x-ray', 'node --x-ray'],
    ['a name in a call', 'handlerOne returns', 'handlerOne(request)'],
    ['an address', 'from https://example.org/a?b=1.', 'GET https://example.org/a?b=1'],
    ['something of another source', 'src/a.ts holds maxTokens', 'src/a.ts'],
  ])('finds none in %s', (_, text, source) => {
    expect(inventedFacts(text, [source, 'const maxTokens = 3'])).toEqual([]);
  });

  it.each([
    ['another path', 'see src/app/other.ts', 'src/app/other.ts'],
    ['another number', 'it is 4712', '4712'],
    ['another name', 'handlerTwo returns', 'handlerTwo'],
    ['another constant', 'set MAX_SIZE', 'MAX_SIZE'],
    ['another address', 'from https://example.com/', 'https://example.com'],
    ['another version', 'needs 1.2.3', '1.2.3'],
    ['a longer number that holds the known one', 'it is 47110', '47110'],
  ])('names %s', (_, text, fact) => {
    const source = 'src/app/main.ts handlerOne(4711) https://example.org/ MAX_SIZES 1.2.30';
    expect(inventedFacts(text, [source])).toEqual([fact]);
  });

  it('is linear in a long source', () => {
    const source = Array.from({ length: 50_000 }, (_, index) => `src/m${index}/file${index}.ts`).join('\n');
    expect(inventedFacts('src/m49999/file49999.ts and src/ghost.ts', [source])).toEqual(['src/ghost.ts']);
  });
});
