import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findModel, knownModels } from './find-model.ts';

describe('findModel', () => {
  it.each([
    ['gpt-5.4', 'gpt-5.4', 'id'],
    ['GPT-5.4', 'gpt-5.4', 'id'],
    ['gpt-5-codex', 'gpt-5', 'alias'],
    ['openai/gpt-5.4', 'gpt-5.4', 'prefix'],
    ['models/gemini-2.5-pro', 'gemini-2.5-pro', 'prefix'],
    ['accounts/fireworks/models/glm-5p3', 'glm-5.3', 'prefix'],
    ['~anthropic/claude-opus-4-5', 'claude-opus-4-5', 'prefix'],
    ['gpt-oss:20b', 'gpt-oss-20b', 'tag'],
    ['gemma3:12b', 'gemma-3-12b', 'tag'],
    ['openai/gpt-4o-mini:free', 'gpt-4o-mini', 'tag'],
    ['claude-opus-4-5@20251101', 'claude-opus-4-5', 'tag'],
    ['gpt-4o-2024-08-06', 'gpt-4o', 'suffix'],
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5', 'suffix'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5', 'suffix'],
    ['gemini-2.5-flash-preview-05-20', 'gemini-2.5-flash', 'suffix'],
    ['Qwen/Qwen3-Coder-480B-A35B-Instruct', 'qwen3-coder-480b-a35b', 'suffix'],
    ['qwen3-8b-q4_k_m.gguf', 'qwen3-8b', 'suffix'],
    ['claude-4.5-sonnet', 'claude-sonnet-4-5', 'spelling'],
  ])('finds %s', (id, entry, matchedBy) => {
    expect(findModel(id)).toMatchObject({ entry: { id: entry }, matchedBy });
  });

  it.each(['', ' ', 'gpt-7', 'my-own-model', 'claude', 'x'.repeat(10_000), '/', ':', '-latest'])(
    'does not guess at %j',
    (id) => expect(findModel(id)).toBeUndefined(),
  );

  it('prefers the longer name where one is the beginning of the other', () => {
    expect(findModel('qwen3-235b-a22b-instruct-2507')?.entry.windowTokens).toBe(262_144);
    expect(findModel('qwen3-235b-a22b')?.entry.windowTokens).toBe(40_960);
  });

  it('accepts any string', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (id) => void findModel(id)));
  });

  it('finds every id and alias of the catalogue as that entry', () => {
    for (const entry of knownModels) {
      for (const name of [entry.id, ...entry.aliases])
        expect([name, findModel(name)?.entry.id]).toEqual([name, entry.id]);
    }
  });
});

describe('knownModels', () => {
  it('repeats no id or alias, and writes all in lower case', () => {
    const names = knownModels.flatMap(({ id, aliases }) => [id, ...aliases]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(names.filter((name) => name !== name.toLowerCase())).toEqual([]);
  });

  it.each(knownModels.map((entry) => [entry.id, entry] as const))('states sane facts of %s', (_id, entry) => {
    expect(entry.windowTokens).toBeGreaterThanOrEqual(8_192);
    expect(entry.windowTokens).toBeLessThanOrEqual(2_000_000);
    expect(entry.maxOutputTokens).toBeLessThanOrEqual(entry.windowTokens);
    expect(entry.maxInputTokens ?? 0).toBeLessThan(entry.windowTokens);
    if (!entry.prices) return;
    const { input, output, cacheRead } = entry.prices;
    expect(output).toBeGreaterThanOrEqual(input);
    expect(cacheRead).toBeLessThanOrEqual(input);
  });

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
    expect(knownModels.some((entry) => entry.provider === provider)).toBe(true),
  );
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
