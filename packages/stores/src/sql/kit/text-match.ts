import type { TextIndex } from './database.ts';

const excerptChars = 80;

/** The text around the first place where `wanted`, which is in small letters, stands. */
export function excerptOf(text: string, wanted: string): string | undefined {
  const at = text.toLowerCase().indexOf(wanted);
  if (at < 0) return undefined;
  return text.slice(Math.max(0, at - excerptChars), at + wanted.length + excerptChars).toWellFormed();
}

/** Whether a comparison that knows the case of ASCII letters only finds all of it. */
export function hasNoCase(query: string): boolean {
  const others = [...query].filter((character) => character > '\u007f').join('');
  return others.toLowerCase() === others.toUpperCase() && !/[\\%_\0]/.test(query) && query.isWellFormed();
}

/** In the stored JSON. A backslash stands for itself in the `like` of SQLite alone. */
export function likePattern(query: string, anyCaseLike: TextIndex['anyCaseLike']): string {
  const text = JSON.stringify(query).slice(1, -1);
  return `%${anyCaseLike === 'ilike' ? text.replaceAll('\\', '\\\\') : text}%`;
}
