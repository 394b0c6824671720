import type { MediaFamily } from '../tokens/media-tokens.ts';

/**
 * What a model's signed or encrypted reasoning is bound to: its own content, everything before it, the item that
 * follows it, or nothing.
 */
type ReasoningBinding = 'content' | 'prefix' | 'next-item' | 'none';

/** How the provider caches the beginning of a request. */
export interface CacheBehaviour {
  /** `automatic`: found by the provider; `marked`: only up to the marks in the request; `none`: not, or not known. */
  readonly kind: 'automatic' | 'marked' | 'none';
  /** How long an unused prefix stays, by default. */
  readonly lifetimeMs: number;
}

/** US dollars per million tokens. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** A model of the catalogue. Limits are tokens, prices US dollars per million tokens. */
export interface ModelEntry {
  /** The id its provider uses, without prefix and date. */
  readonly id: string;
  readonly provider: string;
  /** Further names of the same model, lower case. */
  readonly aliases: readonly string[];
  /** Prompt and answer together. */
  readonly windowTokens: number;
  readonly maxOutputTokens: number;
  /** Most tokens of prompt, where that is less than the window. */
  readonly maxInputTokens?: number;
  /** Absent for open weights, whose price depends on who runs them. */
  readonly prices?: ModelPrices;
  /** Prompts above this cost more than `prices` says. */
  readonly pricedUpToTokens?: number;
  readonly cache: CacheBehaviour;
  readonly hasTools: boolean;
  readonly hasImages: boolean;
  readonly reasoningBinding: ReasoningBinding;
  /** `o200k` and `cl100k` can be counted exactly; the others only calibrated. */
  readonly tokenizer: 'o200k' | 'cl100k' | 'claude' | 'gemini' | 'other';
  readonly media: MediaFamily;
}

/** Prompt and answer together, and the answer alone. */
export type Sizes = readonly [windowTokens: number, maxOutputTokens: number];

/** Dollars per million tokens. A cache price of 0 means that there is none: full price. */
type PriceRow = readonly [input: number, output: number, cacheRead: number, cacheWrite: number];

type MakeEntry = (id: string, sizes: Sizes, prices?: PriceRow, special?: Partial<ModelEntry>) => ModelEntry;

/**
 * Makes the entries of a catalogue.
 *
 * @param usual what most of its models have in common
 */
export function entriesOf(
  usual: Pick<ModelEntry, 'reasoningBinding' | 'tokenizer' | 'media'> & Partial<ModelEntry>,
): MakeEntry {
  return (id, [windowTokens, maxOutputTokens], prices, special) => ({
    id,
    provider: '',
    aliases: [],
    windowTokens,
    maxOutputTokens,
    ...(prices && { prices: pricesOf(prices) }),
    cache: { kind: prices?.[2] === 0 ? 'none' : 'automatic', lifetimeMs: 5 * 60_000 },
    hasTools: true,
    hasImages: true,
    ...usual,
    ...special,
  });
}

function pricesOf([input, output, cacheRead, cacheWrite]: PriceRow): ModelPrices {
  return { input, output, cacheRead: cacheRead || input, cacheWrite: cacheWrite || input };
}

/**
 * Tokens of a model's own tokenizer per token of o200k, as recorded usage of agent sessions shows it (medians of 20
 * sessions; Gemini's rests on one, so it is kept near 1). A start, replaced by calibration.
 */
const slopes: Readonly<Record<ModelEntry['tokenizer'], number>> = {
  o200k: 1.03,
  cl100k: 1.08,
  claude: 1.25,
  gemini: 0.95,
  other: 1.08,
};

/** What to multiply an o200k estimate with before the first usage of that model is known. */
export function tokenizerSlope(tokenizer: ModelEntry['tokenizer']): number {
  return slopes[tokenizer];
}
