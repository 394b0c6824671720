import { findModel } from './find-model.ts';
import { describe, expect, it } from 'vitest';
import { knownModels } from './known-models.ts';
import type { MediaFamily } from '../tokens/media-tokens.ts';
import type { MediaFamilyName } from './model-entry.ts';

describe('knownModels', () => {
  it('repeats no id or alias, and writes all in lower case', () => {
    const names = knownModels().flatMap(({ id, aliases }) => [id, ...aliases]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(names.filter((name) => name !== name.toLowerCase())).toEqual([]);
  });

  it.each(knownModels().map((entry) => [entry.id, entry] as const))(
    'states sane facts of %s',
    (_id, entry) => {
      expect(entry.windowTokens).toBeGreaterThanOrEqual(8_192);
      expect(entry.windowTokens).toBeLessThanOrEqual(2_000_000);
      expect(entry.maxOutputTokens).toBeLessThanOrEqual(entry.windowTokens);
      expect(entry.maxInputTokens ?? 0).toBeLessThan(entry.windowTokens);
      if (!entry.prices) return;
      const { input, output, cacheRead } = entry.prices;
      expect(output).toBeGreaterThanOrEqual(input);
      expect(cacheRead).toBeLessThanOrEqual(input);
    },
  );

  it.each([
    'openai',
    'anthropic',
    'google',
    'deepseek',
    'mistral',
    'meta',
    'qwen',
    'zai',
    'moonshot',
    'open-weights',
  ])('knows models of %s', (provider) =>
    expect(knownModels().some((entry) => entry.provider === provider)).toBe(true),
  );

  it('names only media formulas that exist', () => {
    const same: MediaFamily extends MediaFamilyName
      ? MediaFamilyName extends MediaFamily
        ? true
        : never
      : never = true;
    expect(same).toBe(true);
  });
});

describe('models that are no longer sold', () => {
  it.each([
    ['claude-3-haiku-20240307', 200_000],
    ['claude-3-opus-latest', 200_000],
    ['anthropic/claude-3-sonnet', 200_000],
    ['claude-2.1', 200_000],
    ['claude-2', 100_000],
    ['models/gemini-1.5-pro', 2_000_000],
    ['gemini-1.5-flash-002', 1_048_576],
    ['gemini-pro', 32_768],
    ['gpt-4-32k', 32_768],
    ['o1-mini', 128_000],
  ])('are known where old logs name them: %s', (id, windowTokens) => {
    expect(findModel(id)?.entry.windowTokens).toBe(windowTokens);
  });
});
