import { entriesOf } from './model-entry.ts';
import type { ModelEntry, Sizes } from './model-entry.ts';

// Local servers keep the prefix of the last request as long as the slot is free.
const unpriced = entriesOf({
  provider: 'open-weights',
  hasImages: false,
  reasoningBinding: 'none',
  tokenizer: 'other',
  media: 'open-weights',
});

function open(id: string, sizes: Sizes, special?: Partial<ModelEntry>): ModelEntry {
  return unpriced(id, sizes, undefined, special);
}

/** Open weights by the window they were trained for. A server may load them with a smaller one: see `modelLimits`. */
export const openWeightsModels: readonly ModelEntry[] = [
  open('gpt-oss-120b', [131_072, 32_768], { tokenizer: 'o200k' }),
  open('gpt-oss-20b', [131_072, 32_768], { aliases: ['gpt-oss'], tokenizer: 'o200k' }),
  open('qwen3.8-27b', [262_144, 32_768], {
    hasImages: true,
    aliases: ['qwen-3.8-27b', 'qwen3.8'],
  }),
  open('qwen3.8-2.4t-a95b', [262_144, 131_072]),
  open('qwen3.6-35b-a3b', [262_144, 65_536], { hasImages: true }),
  open('qwen3.6-27b', [262_144, 65_536], { hasImages: true, aliases: ['qwen3.6'] }),
  open('qwen3.5-397b-a17b', [262_144, 32_768], { hasImages: true }),
  open('qwen3.5-122b-a10b', [262_144, 65_536], { hasImages: true }),
  open('qwen3.5-35b-a3b', [262_144, 65_536], { hasImages: true }),
  open('qwen3.5-27b', [262_144, 65_536], { hasImages: true, aliases: ['qwen3.5'] }),
  open('qwen3.5-9b', [262_144, 65_536], { hasImages: true }),
  open('qwen3-coder-480b-a35b', [262_144, 65_536], { aliases: ['qwen3-coder'] }),
  open('qwen3-coder-30b-a3b', [262_144, 65_536]),
  open('qwen3-coder-next', [262_144, 65_536]),
  open('qwen3-next-80b-a3b', [262_144, 32_768]),
  open('qwen3-vl-30b-a3b', [262_144, 32_768], { hasImages: true, aliases: ['qwen3-vl'] }),
  open('qwen3-235b-a22b', [40_960, 16_384]),
  open('qwen3-30b-a3b', [40_960, 16_384]),
  open('qwen3-235b-a22b-2507', [262_144, 65_536], {
    aliases: ['qwen3-235b-a22b-instruct-2507', 'qwen3-235b-a22b-thinking-2507'],
  }),
  open('qwen3-30b-a3b-2507', [262_144, 65_536], {
    aliases: ['qwen3-30b-a3b-instruct-2507', 'qwen3-30b-a3b-thinking-2507'],
  }),
  open('qwen3-4b-2507', [262_144, 65_536], { aliases: ['qwen3-4b-instruct-2507', 'qwen3-4b-thinking-2507'] }),
  open('qwen3-32b', [40_960, 16_384]),
  open('qwen3-14b', [40_960, 16_384]),
  open('qwen3-8b', [40_960, 16_384], { aliases: ['qwen3'] }),
  open('qwen3-4b', [40_960, 16_384]),
  open('qwen2.5-coder-32b', [32_768, 8_192], { aliases: ['qwen2.5-coder'] }),
  open('qwen2.5-72b', [32_768, 8_192], { aliases: ['qwen-2.5-72b'] }),
  open('qwen2.5-7b', [32_768, 8_192], { aliases: ['qwen2.5', 'qwen-2.5-7b'] }),
  open('llama-4-maverick', [1_048_576, 16_384], {
    hasImages: true,
    aliases: ['llama-4-maverick-17b-128e', 'llama4'],
  }),
  open('llama-4-scout', [1_048_576, 16_384], { hasImages: true, aliases: ['llama-4-scout-17b-16e'] }),
  open('llama-3.3-70b', [131_072, 8_192], { aliases: ['llama3.3', 'llama-3.3-70b-versatile'] }),
  open('llama-3.2-3b', [131_072, 8_192], { aliases: ['llama3.2'] }),
  open('llama-3.1-70b', [131_072, 8_192]),
  open('llama-3.1-8b', [131_072, 8_192], { aliases: ['llama3.1', 'llama-3.1-8b-instant'] }),
  open('llama-3-8b', [8_192, 4_096], { aliases: ['llama3'] }),
  open('deepseek-v3.2', [163_840, 65_536]),
  open('deepseek-v3.1', [163_840, 32_768]),
  open('deepseek-r1', [163_840, 32_768], { aliases: ['deepseek-r1-0528'] }),
  open('deepseek-v3', [163_840, 16_384], { aliases: ['deepseek-v3-0324'] }),
  open('glm-5.1', [202_752, 131_072], { aliases: ['glm-5'] }),
  open('glm-4.6', [202_752, 131_072]),
  open('glm-4.5-air', [131_072, 98_304], { aliases: ['glm-4.5'] }),
  open('glm-4.7-flash', [131_072, 65_536]),
  open('kimi-k2.5', [262_144, 65_536], {
    hasImages: true,
    aliases: ['kimi-k2-thinking'],
  }),
  open('kimi-k2', [131_072, 16_384], { aliases: ['kimi-k2-instruct'] }),
  open('gemma-4-31b', [262_144, 32_768], {
    hasImages: true,
    aliases: ['gemma4', 'gemma-4'],
    tokenizer: 'gemini',
  }),
  open('gemma-4-26b-a4b', [262_144, 32_768], { hasImages: true, tokenizer: 'gemini' }),
  open('gemma-3-27b', [131_072, 8_192], {
    hasImages: true,
    aliases: ['gemma3', 'gemma-3'],
    tokenizer: 'gemini',
  }),
  open('gemma-3-12b', [131_072, 8_192], { hasImages: true, tokenizer: 'gemini' }),
  open('gemma-3-4b', [131_072, 8_192], { hasImages: true, tokenizer: 'gemini' }),
  open('mistral-small-3.2-24b', [131_072, 16_384], {
    hasImages: true,
    aliases: ['mistral-small3.2', 'mistral-small-3.1-24b'],
  }),
  open('devstral-small-2-24b', [262_144, 65_536], {
    hasImages: true,
    aliases: ['devstral-small', 'devstral-small-2'],
  }),
  open('ministral-14b', [262_144, 32_768], { hasImages: true }),
  open('ministral-8b', [262_144, 32_768], { hasImages: true, aliases: ['ministral-3-8b'] }),
  open('mistral-nemo', [131_072, 16_384], { aliases: ['open-mistral-nemo'] }),
  open('nemotron-3.5-super-vl', [262_144, 65_536], {
    hasImages: true,
    aliases: ['nvidia-nemotron-3.5-super-vl'],
  }),
  open('nemotron-3-nano-30b-a3b', [262_144, 65_536]),
  open('phi-4', [16_384, 16_384], { aliases: ['phi4'] }),
  open('granite-4.2-8b', [131_072, 16_384]),
];
