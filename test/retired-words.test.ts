import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { historyFiles, retiredNames, retiredWords } from './retired-words.ts';

const root = join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(?:ts|tsx|mjs|md)$/.test(file) && !historyFiles.test(file))
  .filter((file) => existsSync(join(root, file)));
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));

/** The words of a text in small letters, names taken apart: `beginFold` is `begin` and `fold`. */
function wordsOf(text: string): readonly string[] {
  const apart = text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return apart.match(/[A-Za-z]+/g)?.map((word) => word.toLowerCase()) ?? [];
}

/** `file: word` of each file that says one of the words, in its name or in its text. */
function filesThatSay(words: readonly string[], except?: RegExp): readonly string[] {
  const retired = new Set(words);
  return files
    .filter((file) => except?.test(file) !== true)
    .flatMap((file) => {
      const said = new Set(wordsOf(`${basename(file)}\n${texts.get(file) ?? ''}`));
      return [...retired].filter((word) => said.has(word)).map((word) => `${file}: ${word}`);
    });
}

describe('a word that was given up', () => {
  it.each(retiredWords)('does not come back: $words; it is $instead', ({ words, except }) => {
    expect(filesThatSay(words, except)).toEqual([]);
  });

  it.each(retiredNames)('does not come back as a name, a tag or a phrase: %s', (name) => {
    const sought = new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'i');
    expect(files.filter((file) => sought.test(texts.get(file) ?? ''))).toEqual([]);
  });

  it('is found where it stands, whatever the name is made of', () => {
    expect(wordsOf('const PendingFold = beginFold(select-fold.ts)')).toEqual(
      expect.arrayContaining(['pending', 'fold', 'begin', 'select']),
    );
    expect(wordsOf('the folder of a manifold')).not.toContain('fold');
  });

  it('is excepted only where it is said', () => {
    const needless = retiredWords.filter(
      ({ words, except }) =>
        except && !files.some((file) => except.test(file) && filesThatSayIn(file, words)),
    );
    expect(needless).toEqual([]);
  });
});

function filesThatSayIn(file: string, words: readonly string[]): boolean {
  const said = new Set(wordsOf(texts.get(file) ?? ''));
  return words.some((word) => said.has(word));
}
