import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { historyFiles, retiredNames, retiredWords } from './retired-words.ts';
import type { RetiredWord } from './retired-words.ts';

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

/** The names that a text of code declares, one a line; those of methods and of fields without a modifier are not seen. */
function declaredNames(text: string): string {
  const declarations =
    /(?:\b(?:function\*?|const|let|class|interface|type|readonly|static|get|set|async(?! function))\s+|#)([A-Za-z_$][\w$]*)/g;
  return Array.from(text.matchAll(declarations), ([, name]) => name).join('\n');
}

/** Of the words those that a file says, in its name or in its text. */
function wordsSaid(file: string, { words, isNameOnly }: RetiredWord): readonly string[] {
  const text = texts.get(file) ?? '';
  const read = !isNameOnly ? text : file.endsWith('.md') ? '' : declaredNames(text);
  const said = new Set(wordsOf(`${basename(file)}\n${read}`));
  return words.filter((word) => said.has(word));
}

describe('a word that was given up', () => {
  it.each(retiredWords)('does not come back: $words; it is $instead', (retired) => {
    const asked = files.filter((file) => retired.except?.test(file) !== true);
    expect(asked.flatMap((file) => wordsSaid(file, retired).map((word) => `${file}: ${word}`))).toEqual([]);
  });

  it.each(retiredNames)('does not come back as a name, a tag or a phrase: %s', (name) => {
    const sought = new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'i');
    const asked = (file: string): string => `${basename(file)}\n${texts.get(file) ?? ''}`;
    expect(files.filter((file) => sought.test(asked(file)))).toEqual([]);
  });

  it('is found where it stands, whatever the name is made of', () => {
    expect(wordsOf('const PendingFold = beginFold(select-fold.ts)')).toEqual(
      expect.arrayContaining(['pending', 'fold', 'begin', 'select']),
    );
    expect(wordsOf('the folder of a manifold')).not.toContain('fold');
    const code = 'export async function shortenAll(text) { const isSealed = "a ride"; return this.#hold; }';
    expect(declaredNames(code).split('\n')).toEqual(
      expect.arrayContaining(['shortenAll', 'isSealed', 'hold']),
    );
    expect(wordsOf(declaredNames(code))).not.toContain('ride');
  });

  it('is excepted only where it is said', () => {
    const needless = retiredWords.filter(
      (retired) =>
        retired.except &&
        !files.some((file) => retired.except?.test(file) && wordsSaid(file, retired).length > 0),
    );
    expect(needless).toEqual([]);
  });
});
