import { countMedia } from '@throughline/core/internal';
import type { Part } from '@throughline/core/codec';
import type { RenderedMessage } from '@throughline/core/types';
import type { Transcript } from '@throughline/core';

/** What images and files of these messages are estimated at. Another model may count a fifth of it, or five times as much. */
export function mediaTokensOf(
  { codec, media }: Pick<Transcript, 'codec' | 'media'>,
  messages: readonly RenderedMessage<unknown>[],
): number {
  const tokensOf = (part: Part): number => {
    if (part.type === 'media') return countMedia(part, media);
    return part.type === 'result' ? sum(part.pieces.map(tokensOf)) : 0;
  };
  return sum(messages.map(({ message }, at) => sum(codec.decode(message, at).parts.map(tokensOf))));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
