import type { ModelEntry } from './model-entry.ts';

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
