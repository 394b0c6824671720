import type { Estimator } from '@throughline/core';
import { sampleOpaque } from './sample-opaque.ts';
import { splitLongRuns } from './split-long-runs.ts';

/** Vocabularies that can be counted exactly. */
export type BpeEncoding = 'o200k_base' | 'cl100k_base';

interface Vocabulary {
  readonly countTokens: (text: string, options: { readonly disallowedSpecial: Set<string> }) => number;
  readonly clearMergeCache: () => void;
}

/** Loaded when first asked for: a vocabulary takes about 0.1 s and 60 to 100 MB. */
const loaders: Readonly<Record<BpeEncoding, () => Promise<Vocabulary>>> = {
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
};

/** The cache of merges holds 100 000 pieces; once it is full each further piece costs eight times as much. */
const charactersPerCache = 300_000;

/**
 * An estimator that counts with the byte-pair encoding of OpenAI's models: `o200k_base` since GPT-4o, `cl100k_base`
 * before. Exact on ordinary text; time is linear in the length of any text: runs of more than 256 characters of one
 * kind are cut, and of stretches of more than 8 192 characters without white space samples are counted. The names of
 * special tokens count as the text they are.
 */
export async function createBpeEstimator(encoding: BpeEncoding): Promise<Estimator> {
  const { countTokens, clearMergeCache } = await loaders[encoding]();
  let cachedCharacters = 0;
  const asText = { disallowedSpecial: new Set<string>() };
  return {
    name: encoding,
    count(text) {
      let tokens = 0;
      for (const sample of sampleOpaque(text)) {
        cachedCharacters += sample.text.length;
        if (cachedCharacters > charactersPerCache) {
          clearMergeCache();
          cachedCharacters = sample.text.length;
        }
        for (const piece of splitLongRuns(sample.text)) tokens += countTokens(piece, asText) * sample.weight;
      }
      return tokens;
    },
  };
}
