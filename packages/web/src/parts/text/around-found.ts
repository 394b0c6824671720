/** An excerpt with what was looked for in it; `hit` is empty where it does not stand there as it was written. */
interface FoundExcerpt {
  readonly before: string;
  readonly hit: string;
  readonly after: string;
}

/** What is seen in front of a hit. */
const leadCharacters = 32;

/** The excerpt from shortly before the words, or the first of them, so that they are seen in few lines. */
export function aroundFound(excerpt: string, sought: string): FoundExcerpt {
  const words = sought.trim().split(/\s+/).filter(Boolean);
  const found = [words.join(' '), ...words].map((words) => placeOf(excerpt, words)).find(Boolean);
  if (!found) return { before: excerpt, hit: '', after: '' };
  const before = excerpt.slice(0, found.index);
  return {
    before: before.length > leadCharacters ? `…${lastWords(before)}` : before,
    hit: found[0],
    after: excerpt.slice(found.index + found[0].length),
  };
}

function placeOf(excerpt: string, words: string): RegExpExecArray | undefined {
  if (words === '') return undefined;
  const literal = words.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`).replaceAll(' ', String.raw`\s+`);
  return new RegExp(literal, 'iu').exec(excerpt) ?? undefined;
}

/** The end of a text, from the beginning of a word where one begins there. */
function lastWords(text: string): string {
  const end = text.slice(-leadCharacters);
  return end.replace(/^\S+\s+(?=\S)/u, '').toWellFormed();
}
