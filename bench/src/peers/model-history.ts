import { aiSdkCodec, convertMessages } from '@throughline/core';
import { withParts } from './model-message.ts';
import type { BenchSession } from '../replay/read-sessions.ts';
import type { ModelMessage } from './model-message.ts';

/** A session in the format of the AI SDK, grown step by step. */
export interface ModelHistory {
  /** The first `length` messages of the session. Ask with growing lengths, each where a response begins. */
  upTo(length: number): readonly ModelMessage[];
}

export function createModelHistory({ codec, messages }: BenchSession): ModelHistory {
  const converted: ModelMessage[] = [];
  let known = 0;
  return {
    upTo(length) {
      // A piece begins with a response and ends before the next: nothing is joined across its borders.
      const entries = messages
        .slice(known, length)
        .map((message, index) => codec.decode(message, known + index));
      const piece = convertMessages(entries, codec, aiSdkCodec).messages as readonly ModelMessage[];
      for (const message of piece) converted.push(withParts(message));
      known = length;
      return [...converted];
    },
  };
}
