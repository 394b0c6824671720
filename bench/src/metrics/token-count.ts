import type { Estimator } from '@throughline/core';
import type { SeenMessage } from './message-text.ts';

const tokensPerMessage = 4;
/** An image or file costs the same for every contender, so that dropping one is neither free nor a windfall. */
export const tokensPerMedia = 1_000;

/** T(): tokens of one message by a fixed public BPE plus 4. Each text is counted once. */
export function createTokenCount(bpe: Estimator): (message: SeenMessage) => number {
  const known = new WeakMap<SeenMessage, number>();
  const byText = new Map<string, number>();
  return (message) => {
    const found = known.get(message);
    if (found !== undefined) return found;
    const { costText, mediaCount } = message;
    const text = byText.get(costText) ?? Math.round(bpe.count(costText));
    byText.set(costText, text);
    const tokens = text + tokensPerMessage + mediaCount * tokensPerMedia;
    known.set(message, tokens);
    return tokens;
  };
}
