import { describe, expect, it } from 'vitest';
import { inputTokensOf } from './usage.ts';

describe('inputTokensOf', () => {
  it.each([
    ['a step', { usage: { inputTokens: 900 } }, 900],
    ['a model of version 6 or 7', { usage: { inputTokens: { total: 900 } } }, 900],
    ['a provider that says nothing', { usage: { inputTokens: undefined } }, undefined],
    ['a model that says nothing', { usage: { inputTokens: { total: undefined } } }, undefined],
    ['no usage', {}, undefined],
  ])('reads %s', (_, answer, tokens) => {
    expect(inputTokensOf(answer)).toBe(tokens);
  });

  it('adds what Anthropic’s cache holds, which version 5 leaves out', () => {
    const usage = { input_tokens: 4, cache_read_input_tokens: 800, cache_creation_input_tokens: 96 };
    const step = { usage: { inputTokens: 4 }, providerMetadata: { anthropic: { usage } } };
    expect(inputTokensOf(step)).toBe(900);
  });

  it('does not count the cache twice where the SDK has already', () => {
    const usage = { input_tokens: 4, cache_read_input_tokens: 800 };
    const providerMetadata = { anthropic: { usage } };
    expect(inputTokensOf({ usage: { inputTokens: { total: 804 } }, providerMetadata })).toBe(804);
    const step = {
      usage: { inputTokens: 804, inputTokenDetails: { cacheReadTokens: 800 } },
      providerMetadata,
    };
    expect(inputTokensOf(step)).toBe(804);
  });
});
