import { entriesOf } from './model-entry.ts';
import type { ModelEntry } from './model-entry.ts';

const gemini = entriesOf({
  provider: 'google',
  // Thought signatures sit on the part they belong to, calls included.
  reasoningBinding: 'content',
  tokenizer: 'gemini',
  media: 'gemini-3',
});

const older = { media: 'gemini', reasoningBinding: 'none' } as const;

/** Google, as of November 2026. */
export const googleModels: readonly ModelEntry[] = [
  gemini('gemini-4-argon', [1_048_576, 32_768], [2, 10, 0.1, 0]),
  gemini('gemini-3.8-flash', [1_048_576, 65_536], [0.75, 3.75, 0.075, 0]),
  gemini('gemini-3.7-flash', [1_048_576, 65_536], [0.75, 3.75, 0.075, 0]),
  gemini('gemini-3.6-flash', [1_048_576, 65_536], [0.75, 3.75, 0.075, 0]),
  gemini('gemini-3.5-flash', [1_048_576, 65_536], [1.5, 9, 0.15, 0], { aliases: ['gemini-flash-latest'] }),
  gemini('gemini-3.5-flash-lite', [1_048_576, 65_536], [0.3, 2.5, 0.03, 0]),
  gemini('gemini-3.1-pro', [1_048_576, 65_536], [2, 12, 0.2, 0], {
    pricedUpToTokens: 200_000,
    aliases: ['gemini-pro-latest', 'gemini-3-pro', 'gemini-3.1-pro-preview-customtools'],
  }),
  gemini('gemini-3.1-flash-lite', [1_048_576, 65_536], [0.25, 1.5, 0.025, 0], {
    aliases: ['gemini-flash-lite-latest'],
  }),
  gemini('gemini-3-flash', [1_048_576, 65_536], [0.5, 3, 0.05, 0]),
  gemini('gemini-2.5-pro', [1_048_576, 65_536], [1.25, 10, 0.125, 0], {
    pricedUpToTokens: 200_000,
    media: 'gemini',
  }),
  gemini('gemini-2.5-flash', [1_048_576, 65_536], [0.3, 2.5, 0.03, 0], { media: 'gemini' }),
  gemini('gemini-2.5-flash-lite', [1_048_576, 65_536], [0.1, 0.4, 0.01, 0], { media: 'gemini' }),
  gemini('gemini-2.0-flash', [1_048_576, 8_192], [0.1, 0.4, 0.025, 0], older),
  gemini('gemini-2.0-flash-lite', [1_048_576, 8_192], [0.075, 0.3, 0, 0], older),
  gemini('gemini-1.5-pro', [2_000_000, 8_192], [1.25, 5, 0.3125, 0], {
    ...older,
    pricedUpToTokens: 128_000,
    aliases: ['gemini-pro-1.5'],
  }),
  gemini('gemini-1.5-flash', [1_048_576, 8_192], [0.075, 0.3, 0.01875, 0], {
    ...older,
    pricedUpToTokens: 128_000,
    aliases: ['gemini-flash-1.5'],
  }),
  gemini('gemini-1.5-flash-8b', [1_048_576, 8_192], [0.0375, 0.15, 0.01, 0], {
    ...older,
    pricedUpToTokens: 128_000,
    aliases: ['gemini-flash-1.5-8b'],
  }),
  gemini('gemini-1.0-pro', [32_768, 2_048], [0.5, 1.5, 0, 0], {
    ...older,
    aliases: ['gemini-pro', 'gemini-1.0-pro-latest'],
    maxInputTokens: 30_720,
    hasImages: false,
  }),
  gemini('gemini-pro-vision', [16_384, 2_048], [0.5, 1.5, 0, 0], {
    ...older,
    aliases: ['gemini-1.0-pro-vision'],
    maxInputTokens: 12_288,
    hasTools: false,
  }),
];
