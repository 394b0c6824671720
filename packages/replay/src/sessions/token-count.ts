import type { Estimator } from '@throughline/core';
import type { MediaPricing } from '@throughline/core/types';
import type { SeenMessage } from './message-text.ts';

const tokensPerMessage = 4;
/** An image or file costs the same for every contender, so that dropping one is neither free nor a windfall. */
const tokensPerMedia = 1_000;

/** Tokens by one fixed public BPE. Each text is counted once. */
export interface TokenCounter {
  /** T() of one message: its tokens plus 4. */
  readonly ofMessage: (message: SeenMessage) => number;
  /** Tokens of a text. */
  readonly ofText: (text: string) => number;
}

export function createTokenCounter(bpe: Estimator): TokenCounter {
  const known = new WeakMap<SeenMessage, number>();
  const byText = new Map<string, number>();
  const ofText = (text: string): number => {
    const tokens = byText.get(text) ?? Math.round(bpe.count(text));
    byText.set(text, tokens);
    return tokens;
  };
  return {
    ofText,
    ofMessage(message) {
      const found = known.get(message);
      if (found !== undefined) return found;
      const { costText, mediaCount } = message;
      const tokens = ofText(costText) + tokensPerMessage + mediaCount * tokensPerMedia;
      known.set(message, tokens);
      return tokens;
    },
  };
}

/** Every image and file costs the same, in the engine's eyes as in the metrics'. */
export const flatMediaPricing: MediaPricing = {
  image: { type: 'fixed', tokens: tokensPerMedia },
  unknownImageTokens: tokensPerMedia,
  pageTokens: tokensPerMedia,
  audioTokensPerSecond: 10,
  videoTokensPerSecond: 300,
};
