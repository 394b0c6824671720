import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelLimits } from './model-limits.ts';

const hourMs = 3_600_000;
const model = 'claude-sonnet-4-5';

describe('modelLimits', () => {
  it('gives an unknown model 128 000 tokens on a hosted endpoint and 16 000 on a local one', () => {
    expect(modelLimits({ model: 'mine', endpoint: 'hosted' }).window).toEqual({
      tokens: 128_000,
      source: 'default',
    });
    expect(modelLimits({ endpoint: 'local' }).window).toEqual({ tokens: 16_000, source: 'default' });
    expect(modelLimits({ endpoint: 'local' }).maxOutput).toEqual({ tokens: 4_000, source: 'default' });
  });

  it('takes the catalogue where nobody knows better, and says so', () => {
    expect(modelLimits({ model, endpoint: 'hosted' })).toMatchObject({
      window: { tokens: 200_000, source: 'catalogue' },
      maxOutput: { tokens: 64_000, source: 'catalogue' },
      model: { entry: { id: model } },
    });
  });

  it('believes the user first', () => {
    const limits = modelLimits({
      model,
      endpoint: 'hosted',
      user: { windowTokens: 50_000 },
      learned: { windowTokens: 40_000 },
      discovered: { windowTokens: 60_000 },
    });
    expect(limits.window).toEqual({ tokens: 50_000, source: 'user' });
    expect(limits.maxOutput.tokens).toBe(50_000);
  });

  it.each([100_000, 1_000_000])('lets discovery replace the catalogue: %i', (windowTokens) => {
    expect(modelLimits({ model, endpoint: 'hosted', discovered: { windowTokens } }).window).toEqual({
      tokens: windowTokens,
      source: 'discovered',
    });
  });

  it('lets an error only lower the window', () => {
    const learnedWindow = (windowTokens: number) =>
      modelLimits({ model, endpoint: 'hosted', learned: { windowTokens } }).window;
    expect(learnedWindow(150_000)).toEqual({ tokens: 150_000, source: 'learned' });
    expect(learnedWindow(900_000)).toEqual({ tokens: 200_000, source: 'catalogue' });
  });

  it('forgets what an error named after a day, or when the endpoint was asked again', () => {
    const learned = { windowTokens: 100_000, atMs: 10 * hourMs };
    const at = (nowMs: number) => modelLimits({ model, endpoint: 'hosted', learned, nowMs }).window.source;
    expect(at(33 * hourMs)).toBe('learned');
    expect(at(34 * hourMs)).toBe('catalogue');
    const discoveredAt = (atMs: number) =>
      modelLimits({ model, endpoint: 'hosted', learned, discovered: { windowTokens: 180_000, atMs } }).window;
    expect(discoveredAt(9 * hourMs)).toEqual({ tokens: 100_000, source: 'learned' });
    expect(discoveredAt(11 * hourMs)).toEqual({ tokens: 180_000, source: 'discovered' });
  });

  it('states the prompt limit only where it is below the window', () => {
    expect(modelLimits({ model: 'gpt-5', endpoint: 'hosted' }).maxInput).toEqual({
      tokens: 272_000,
      source: 'catalogue',
    });
    expect(modelLimits({ model, endpoint: 'hosted' }).maxInput).toBeUndefined();
  });

  it('yields whole positive limits within the window, whatever is stated', () => {
    const tokens = fc.oneof(fc.double(), fc.integer());
    const stated = fc.record(
      { windowTokens: tokens, maxOutputTokens: tokens, maxInputTokens: tokens },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(stated, stated, tokens, (user, discovered, windowTokens) => {
        const limits = modelLimits({
          endpoint: 'hosted',
          model,
          user,
          discovered,
          learned: { windowTokens },
        });
        expect(limits.window.tokens).toBeGreaterThanOrEqual(1);
        expect(Number.isFinite(limits.window.tokens)).toBe(true);
        expect(limits.maxOutput.tokens).toBeLessThanOrEqual(limits.window.tokens);
      }),
    );
  });
});
