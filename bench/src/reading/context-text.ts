import { callInputText } from '@throughline/core/codec';
import type { Codec, Entry } from '@throughline/core';
import type { Part, ResultPiece } from '@throughline/core/codec';

/** Messages as plain text, in order, with calls and results: what a reader gets to see. */
export function contextText(messages: readonly unknown[], codec: Codec): string {
  return messages
    .map((message, index) => entryText(codec.decode(message, index)))
    .filter((text) => text !== '')
    .join('\n\n');
}

function entryText({ role, parts }: Entry): string {
  const texts = parts.map((part) => partText(part)).filter((text) => text.trim() !== '');
  return texts.length === 0 ? '' : `===== ${role} =====\n${texts.join('\n')}`;
}

type Shown = Part | ResultPiece;
type ShownTexts = { readonly [Type in Shown['type']]: (part: Extract<Shown, { type: Type }>) => string };

const shownTexts: ShownTexts = {
  text: ({ text }) => text,
  reasoning: ({ text }) => (text === '' ? '' : `[thinking] ${text}`),
  call: (part) => `[call] ${part.name} ${callInputText(part)}`,
  result: ({ pieces, isError }) =>
    `[result${isError ? ', error' : ''}] ${pieces.map((piece) => partText(piece)).join('\n')}`,
  media: ({ mediaType, filename }) => `[${mediaType}${filename === undefined ? '' : ` ${filename}`}]`,
  opaque: ({ value }) => JSON.stringify(value).slice(0, 2_000),
};

function partText<Type extends Shown['type']>(part: Extract<Shown, { type: Type }>): string {
  const row = shownTexts[part.type] as (part: Extract<Shown, { type: Type }>) => string;
  return row(part);
}
