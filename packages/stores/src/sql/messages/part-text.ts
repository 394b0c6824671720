import { sessionCodec } from '@throughline/core';
import { partText as readable, visitTexts } from '@throughline/core/internal';
import type { Entry } from '@throughline/core';

/** A text beyond this is found by its beginning only. */
const longestIndexed = 1_000_000;

/** Readable form of a stored part, as the core's `recall` gives it. */
export function partText(stored: unknown): string {
  const part = entryOf(stored).parts[0];
  return part ? readable(part) : '';
}

/** All that a search may find in a stored part: strings inside arguments and data too, each as it is. */
export function searchableText(stored: unknown): string {
  const entry = entryOf(stored);
  const [part] = entry.parts;
  const texts = part?.type === 'call' ? [part.name] : [];
  visitTexts(entry, (text) => void texts.push(text));
  return indexedText(texts.join('\n'));
}

export function indexedText(text: string): string {
  return text.slice(0, longestIndexed);
}

function entryOf(stored: unknown): Entry {
  return sessionCodec.decode({ id: 'part', role: 'assistant', parts: [stored] }, 0);
}
