import { sessionCodec } from '@throughline/core';
import { callInputText } from '@throughline/core/codec';
import { resultText, visitTexts } from '@throughline/core/internal';
import type { Entry } from '@throughline/core';
import type { Part } from '@throughline/core/codec';

/** A text beyond this is found by its beginning only. */
const longestIndexed = 1_000_000;

type PartTexts = { readonly [Type in Part['type']]: (part: Extract<Part, { type: Type }>) => string };

// What the core's `recall` gives of a part.
const partTexts: PartTexts = {
  text: ({ text }) => text,
  reasoning: ({ text }) => text,
  call: (part) => `${part.name} ${callInputText(part)}`,
  result: resultText,
  media: ({ mediaType, filename }) => `[${mediaType}${filename === undefined ? '' : ` ${filename}`}]`,
  opaque: () => '[data of the provider]',
};

/** Readable form of a stored part. */
export function partText(stored: unknown): string {
  const part = entryOf(stored).parts[0];
  return part ? textOf(part) : '';
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

function textOf<Type extends Part['type']>(part: Extract<Part, { type: Type }>): string {
  const row: (part: Extract<Part, { type: Type }>) => string = partTexts[part.type];
  return row(part);
}
