import type { Entry } from '@throughline/core';

const rule = /\b(?:never|must not|mustn['’]t|don['’]t|do not|only|always)\b/i;

/** The texts a user wrote; transport of results and blanks are none. */
export function userTextsOf(entry: Entry): string[] {
  if (entry.role !== 'user') return [];
  return entry.parts.flatMap((part) => (part.type === 'text' && part.text.trim() !== '' ? [part.text] : []));
}

/** Sentences with never / must not / don't / only / always / do not. */
export function ruleSentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length > 3 && sentence.length <= 500 && rule.test(sentence));
}
