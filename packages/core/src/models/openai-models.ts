import { entriesOf } from './model-entry.ts';
import type { ModelEntry } from './model-entry.ts';

const gpt = entriesOf({
  provider: 'openai',
  reasoningBinding: 'next-item',
  tokenizer: 'o200k',
  media: 'openai-patches',
});

const older = { reasoningBinding: 'none', media: 'openai-tiles' } as const;
const oldest = { ...older, tokenizer: 'cl100k' } as const;
const generation5 = { maxInputTokens: 272_000, media: 'openai-tiles-5' } as const;

/** OpenAI, as of November 2026. Windows of 1 050 000 cost more above 272 000 tokens of prompt. */
export const openaiModels: readonly ModelEntry[] = [
  gpt('gpt-6.1-sol', [1_050_000, 128_000], [2, 10, 0.1, 2.5], { pricedUpToTokens: 272_000 }),
  gpt('gpt-6.1-terra', [1_050_000, 128_000], [1, 5, 0.05, 1.25], { pricedUpToTokens: 272_000 }),
  gpt('gpt-6-astra', [1_050_000, 128_000], [10, 50, 1, 12.5], { pricedUpToTokens: 272_000 }),
  gpt('gpt-6-sol', [1_050_000, 128_000], [2, 10, 0.2, 2.5], { pricedUpToTokens: 272_000 }),
  gpt('gpt-6-luna', [1_050_000, 128_000], [0.1, 0.5, 0.01, 0.125], { pricedUpToTokens: 272_000 }),
  gpt('gpt-5.6-sol', [1_050_000, 128_000], [4, 20, 0.4, 5], { pricedUpToTokens: 272_000 }),
  gpt('gpt-5.6-terra', [1_050_000, 128_000], [2, 12, 0.2, 2.5], { pricedUpToTokens: 272_000 }),
  gpt('gpt-5.6-luna', [1_050_000, 128_000], [0.2, 1.2, 0.02, 0.25], { pricedUpToTokens: 272_000 }),
  gpt('gpt-5.5', [1_050_000, 128_000], [5, 30, 0.5, 0], { pricedUpToTokens: 272_000 }),
  gpt('gpt-5.5-pro', [1_050_000, 128_000], [30, 180, 0, 0], { pricedUpToTokens: 272_000 }),
  gpt('gpt-5.4', [1_050_000, 128_000], [2.5, 15, 0.25, 0], { pricedUpToTokens: 272_000 }),
  gpt('gpt-5.4-pro', [1_050_000, 128_000], [30, 180, 0, 0], { pricedUpToTokens: 272_000 }),
  gpt('gpt-5.4-mini', [400_000, 128_000], [0.75, 4.5, 0.075, 0], {
    maxInputTokens: 272_000,
    media: 'openai-patches-mini',
  }),
  gpt('gpt-5.4-nano', [400_000, 128_000], [0.2, 1.25, 0.02, 0], {
    maxInputTokens: 272_000,
    media: 'openai-patches-nano',
  }),
  gpt('gpt-5.3-codex', [400_000, 128_000], [1.75, 14, 0.175, 0], { maxInputTokens: 272_000 }),
  gpt('gpt-5.3-codex-spark', [128_000, 32_000], [1.75, 14, 0.175, 0]),
  gpt('gpt-5.2', [400_000, 128_000], [1.75, 14, 0.175, 0], {
    ...generation5,
    aliases: ['gpt-5.2-codex', 'gpt-5.2-chat-latest'],
  }),
  gpt('gpt-5.2-pro', [400_000, 128_000], [21, 168, 0, 0], generation5),
  gpt('gpt-5.1', [400_000, 128_000], [1.25, 10, 0.125, 0], {
    ...generation5,
    aliases: ['gpt-5.1-codex', 'gpt-5.1-codex-max', 'gpt-5.1-chat-latest'],
  }),
  gpt('gpt-5', [400_000, 128_000], [1.25, 10, 0.125, 0], { ...generation5, aliases: ['gpt-5-codex'] }),
  gpt('gpt-5-pro', [400_000, 128_000], [15, 120, 0, 0], generation5),
  gpt('gpt-5-mini', [400_000, 128_000], [0.25, 2, 0.025, 0], {
    maxInputTokens: 272_000,
    media: 'openai-patches-mini',
    aliases: ['gpt-5.1-codex-mini', 'codex-mini-latest'],
  }),
  gpt('gpt-5-nano', [400_000, 128_000], [0.05, 0.4, 0.005, 0], {
    maxInputTokens: 272_000,
    media: 'openai-patches-nano',
  }),
  gpt('gpt-5-chat-latest', [128_000, 16_384], [1.25, 10, 0.125, 0], {
    reasoningBinding: 'none',
    media: 'openai-tiles-5',
  }),
  gpt('chat-latest', [400_000, 128_000], [5, 30, 0.5, 0], { maxInputTokens: 272_000 }),
  gpt('gpt-4.1', [1_047_576, 32_768], [2, 8, 0.5, 0], older),
  gpt('gpt-4.1-mini', [1_047_576, 32_768], [0.4, 1.6, 0.1, 0], {
    reasoningBinding: 'none',
    media: 'openai-patches-mini',
  }),
  gpt('gpt-4.1-nano', [1_047_576, 32_768], [0.1, 0.4, 0.025, 0], {
    reasoningBinding: 'none',
    media: 'openai-patches-nano',
  }),
  gpt('gpt-4o', [128_000, 16_384], [2.5, 10, 1.25, 0], { ...older, aliases: ['chatgpt-4o-latest'] }),
  gpt('gpt-4o-mini', [128_000, 16_384], [0.15, 0.6, 0.075, 0], {
    reasoningBinding: 'none',
    media: 'openai-tiles-mini',
  }),
  gpt('gpt-4-turbo', [128_000, 4_096], [10, 30, 0, 0], {
    ...oldest,
    aliases: ['gpt-4-turbo-preview', 'gpt-4-1106-preview', 'gpt-4-0125-preview'],
  }),
  gpt('gpt-4', [8_192, 8_192], [30, 60, 0, 0], { ...oldest, hasImages: false }),
  gpt('gpt-4-32k', [32_768, 32_768], [60, 120, 0, 0], { ...oldest, hasImages: false }),
  gpt('gpt-4.5-preview', [128_000, 16_384], [75, 150, 37.5, 0], older),
  gpt('o1-preview', [128_000, 32_768], [15, 60, 7.5, 0], {
    hasImages: false,
    hasTools: false,
    media: 'openai-tiles',
  }),
  gpt('o1-mini', [128_000, 65_536], [1.1, 4.4, 0.55, 0], {
    hasImages: false,
    hasTools: false,
    media: 'openai-tiles',
  }),
  gpt('o1', [200_000, 100_000], [15, 60, 7.5, 0], { media: 'openai-tiles' }),
  gpt('o3', [200_000, 100_000], [2, 8, 0.5, 0], { media: 'openai-tiles' }),
  gpt('o3-pro', [200_000, 100_000], [20, 80, 0, 0], { media: 'openai-tiles' }),
  gpt('o3-mini', [200_000, 100_000], [1.1, 4.4, 0.55, 0], { hasImages: false, media: 'openai-tiles' }),
  gpt('o4-mini', [200_000, 100_000], [1.1, 4.4, 0.275, 0], { media: 'openai-patches-mini' }),
  gpt('gpt-3.5-turbo', [16_385, 4_096], [0.5, 1.5, 0, 0], { ...oldest, hasImages: false }),
];
