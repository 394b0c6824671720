import { tokensPerMedia } from './token-count.ts';
import type { MediaPricing } from '@throughline/core';

/** Every image and file costs the same, in the engine's eyes as in the metrics'. */
export const flatMediaPricing: MediaPricing = {
  name: 'flat',
  image: { type: 'fixed', tokens: tokensPerMedia },
  unknownImageTokens: tokensPerMedia,
  pageTokens: tokensPerMedia,
  audioTokensPerSecond: 10,
  videoTokensPerSecond: 300,
};
