import { entriesOf } from './model-entry.ts';
import type { ModelEntry } from './model-entry.ts';

const hosted = entriesOf({ reasoningBinding: 'none', tokenizer: 'other', media: 'open-weights' });

/** DeepSeek, Mistral, xAI, Z.ai, Moonshot, Meta, MiniMax and Qwen as hosted by their makers, as of November 2026. */
export const hostedModels: readonly ModelEntry[] = [
  hosted('deepseek-v4.1-flash', [1_000_000, 384_000], [0.3, 1.2, 0.006, 0], {
    provider: 'deepseek',
    aliases: ['deepseek-flash', 'deepseek-chat', 'deepseek-v4p1-flash', 'deepseek-v4-flash'],
  }),
  hosted('deepseek-v4-pro', [1_000_000, 384_000], [1.32, 3.96, 0.044, 0], {
    provider: 'deepseek',
    hasImages: false,
    aliases: ['deepseek-reasoner'],
  }),
  hosted('mistral-large-4', [1_048_576, 262_144], [0.7, 2.1, 0.07, 0], {
    provider: 'mistral',
    aliases: ['mistral-large-4-0'],
  }),
  hosted('mistral-large-3', [262_144, 262_144], [0.5, 1.5, 0.05, 0], {
    provider: 'mistral',
    aliases: ['mistral-large', 'mistral-large-latest'],
  }),
  hosted('mistral-medium-3.5', [262_144, 262_144], [1.5, 7.5, 0, 0], {
    provider: 'mistral',
    aliases: ['mistral-medium', 'mistral-medium-latest', 'mistral-medium-3-5'],
  }),
  hosted('mistral-small-4', [262_144, 256_000], [0.15, 0.6, 0.015, 0], {
    provider: 'mistral',
    aliases: ['mistral-small', 'mistral-small-latest'],
  }),
  hosted('devstral-2', [262_144, 262_144], [0.4, 2, 0.04, 0], {
    provider: 'mistral',
    hasImages: false,
    aliases: ['devstral', 'devstral-latest', 'devstral-medium', 'devstral-medium-latest'],
  }),
  hosted('codestral', [256_000, 8_192], [0.3, 0.9, 0.03, 0], {
    provider: 'mistral',
    hasImages: false,
    aliases: ['codestral-latest'],
  }),
  hosted('magistral-medium', [262_144, 16_384], [2, 5, 0.2, 0], {
    provider: 'mistral',
    aliases: ['magistral-medium-latest'],
  }),
  hosted('grok-4.7', [500_000, 500_000], [2, 6, 0.5, 0], { provider: 'xai', reasoningBinding: 'next-item' }),
  hosted('grok-4.6', [500_000, 500_000], [2, 6, 0.5, 0], { provider: 'xai', reasoningBinding: 'next-item' }),
  hosted('grok-4.3', [1_000_000, 30_000], [1.25, 2.5, 0.2, 0], {
    provider: 'xai',
    reasoningBinding: 'next-item',
  }),
  hosted('glm-5.3', [1_000_000, 131_072], [1.4, 4.4, 0.26, 0], {
    provider: 'zai',
    hasImages: false,
    aliases: ['glm-5p3', 'glm-latest', 'glm-5.3-highspeed'],
  }),
  hosted('glm-5.3-flash', [1_000_000, 131_072], [0.15, 0.5, 0.03, 0], {
    provider: 'zai',
    aliases: ['glm-5p3-flash'],
  }),
  hosted('glm-5.2', [1_000_000, 131_072], [1.4, 4.4, 0.26, 0], {
    provider: 'zai',
    hasImages: false,
    aliases: ['glm-5-2'],
  }),
  hosted('glm-4.7', [204_800, 131_072], [0.6, 2.2, 0.11, 0], { provider: 'zai', hasImages: false }),
  hosted('kimi-k3.1-pro', [1_048_576, 131_072], [2, 10, 0.2, 0], {
    provider: 'moonshot',
    aliases: ['kimi-k3p1-pro'],
  }),
  hosted('kimi-k3', [1_048_576, 131_072], [3, 15, 0.3, 0], {
    provider: 'moonshot',
    aliases: ['kimi-latest'],
  }),
  hosted('kimi-k2.7-code', [262_144, 262_144], [0.95, 4, 0.19, 0], { provider: 'moonshot' }),
  hosted('kimi-k2.6', [262_144, 262_144], [0.95, 4, 0.16, 0], { provider: 'moonshot' }),
  hosted('muse-wonder-1.0', [1_048_576, 131_072], [4, 20, 0.2, 0], { provider: 'meta' }),
  hosted('muse-spark-1.3', [1_048_576, 131_072], [1.25, 4.25, 0.15, 0], {
    provider: 'meta',
    aliases: ['muse-spark', 'muse-spark-open'],
  }),
  hosted('minimax-m3', [1_000_000, 131_072], [0.3, 1.2, 0.06, 0], { provider: 'minimax' }),
  hosted('minimax-m2.7', [204_800, 131_072], [0.3, 1.2, 0.06, 0.375], {
    provider: 'minimax',
    hasImages: false,
    aliases: ['minimax-m2.5', 'minimax-m2'],
  }),
  hosted('qwen3.8-max', [1_000_000, 131_072], [2, 6, 0.25, 0], {
    provider: 'qwen',
    aliases: ['qwen-max', 'qwen3p8-max', 'qwen-max-latest', 'qwen3.8-max-prime'],
  }),
  hosted('qwen3.8-flash', [1_000_000, 131_072], [0.15, 0.47, 0.016, 0], {
    provider: 'qwen',
    aliases: ['qwen-flash', 'qwen-turbo'],
  }),
  hosted('qwen3.7-plus', [1_000_000, 131_072], [0.32, 1.28, 0.064, 0.4], {
    provider: 'qwen',
    aliases: ['qwen-plus', 'qwen-plus-latest'],
  }),
  hosted('qwen3-coder-flash', [1_000_000, 65_536], [0.195, 0.975, 0.039, 0.24375], {
    provider: 'qwen',
    hasImages: false,
    aliases: ['qwen3-coder-plus'],
  }),
];
