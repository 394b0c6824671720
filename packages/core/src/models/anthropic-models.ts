import { entriesOf } from './model-entry.ts';
import type { ModelEntry } from './model-entry.ts';

const claude = entriesOf({
  provider: 'anthropic',
  cache: { kind: 'marked', lifetimeMs: 5 * 60_000 },
  reasoningBinding: 'content',
  tokenizer: 'claude',
  media: 'anthropic',
});

const prefixBound = { reasoningBinding: 'prefix', media: 'anthropic-large' } as const;
const older = { reasoningBinding: 'none' } as const;

/** Anthropic, as of November 2026. From generation 5 on thinking is bound to the whole prefix. */
export const anthropicModels: readonly ModelEntry[] = [
  claude('claude-fable-5-2', [1_000_000, 128_000], [8, 40, 0.2, 10], prefixBound),
  claude('claude-fable-5-1', [1_000_000, 128_000], [10, 50, 0.25, 12.5], prefixBound),
  claude('claude-fable-5', [1_000_000, 128_000], [10, 50, 1, 12.5], prefixBound),
  claude('claude-opus-5-5', [1_000_000, 128_000], [4, 20, 0.2, 5], prefixBound),
  claude('claude-opus-5', [1_000_000, 128_000], [5, 25, 0.5, 6.25], prefixBound),
  claude('claude-sonnet-5-5', [1_000_000, 128_000], [2, 10, 0.1, 2.5], prefixBound),
  claude('claude-sonnet-5', [1_000_000, 128_000], [2, 10, 0.2, 2.5], prefixBound),
  claude('claude-haiku-5-5', [1_000_000, 128_000], [0.1, 0.5, 0.01, 0.125], {
    ...prefixBound,
    pricedUpToTokens: 100_000,
  }),
  claude('claude-opus-4-8', [1_000_000, 128_000], [5, 25, 0.5, 6.25], { media: 'anthropic-large' }),
  claude('claude-opus-4-7', [1_000_000, 128_000], [5, 25, 0.5, 6.25], { media: 'anthropic-large' }),
  claude('claude-opus-4-6', [1_000_000, 128_000], [5, 25, 0.5, 6.25]),
  claude('claude-sonnet-4-6', [1_000_000, 128_000], [3, 15, 0.3, 3.75]),
  claude('claude-opus-4-5', [200_000, 64_000], [5, 25, 0.5, 6.25]),
  claude('claude-sonnet-4-5', [200_000, 64_000], [3, 15, 0.3, 3.75]),
  claude('claude-haiku-4-5', [200_000, 64_000], [1, 5, 0.1, 1.25]),
  claude('claude-opus-4-1', [200_000, 32_000], [15, 75, 1.5, 18.75], { aliases: ['claude-opus-4'] }),
  claude('claude-sonnet-4', [200_000, 64_000], [3, 15, 0.3, 3.75], { aliases: ['claude-4-sonnet'] }),
  claude('claude-3-7-sonnet', [200_000, 64_000], [3, 15, 0.3, 3.75]),
  claude('claude-3-5-sonnet', [200_000, 8_192], [3, 15, 0.3, 3.75], older),
  claude('claude-3-5-haiku', [200_000, 8_192], [0.8, 4, 0.08, 1], older),
  claude('claude-3-opus', [200_000, 4_096], [15, 75, 1.5, 18.75], older),
  claude('claude-3-sonnet', [200_000, 4_096], [3, 15, 0.3, 3.75], older),
  claude('claude-3-haiku', [200_000, 4_096], [0.25, 1.25, 0.03, 0.3], older),
  claude('claude-2.1', [200_000, 4_096], [8, 24, 0, 0], { ...older, hasTools: false, hasImages: false }),
  claude('claude-2', [100_000, 4_096], [8, 24, 0, 0], {
    ...older,
    aliases: ['claude-2.0'],
    hasTools: false,
    hasImages: false,
  }),
  claude('claude-instant-1.2', [100_000, 4_096], [0.8, 2.4, 0, 0], {
    ...older,
    aliases: ['claude-instant-1', 'claude-instant'],
    hasTools: false,
    hasImages: false,
  }),
];
