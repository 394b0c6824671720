import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBpeEstimator } from './create-bpe-estimator.ts';

const asText = { disallowedSpecial: new Set<string>() };
const ordinary = [
  '',
  'Keep the thread: measure, shorten, fold.\n',
  'const total = items.reduce((sum, item) => sum + item.priceCents, 0); // in cents',
  '{"id":"7f9c24e8-3b12-4fef-91e0-5a8b0d3a7c11","ok":true,"values":[1,2.5,-3e7]}',
  '会話が長くなると、コンテキストウィンドウに収まらなくなります。要約して続けましょう。',
  'Сессия длится часами, и история не помещается в окно модели.',
  '👩‍👩‍👧‍👦 café — naïve … 漢字かな交じり文',
];

describe('createBpeEstimator', () => {
  it.each(ordinary)('counts ordinary text as the tokenizer itself does: %j', async (text) => {
    const o200k = await createBpeEstimator('o200k_base');
    const cl100k = await createBpeEstimator('cl100k_base');
    expect(o200k.count(text)).toBe(countO200k(text, asText));
    expect(cl100k.count(text)).toBe(countCl100k(text, asText));
  });

  it('counts any short text exactly', async () => {
    const estimator = await createBpeEstimator('o200k_base');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(estimator.count(text)).toBe(countO200k(text, asText));
      }),
    );
  });

  it('counts the names of special tokens as text', async () => {
    const estimator = await createBpeEstimator('o200k_base');
    expect(estimator.count('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('accepts lone surrogates', async () => {
    const estimator = await createBpeEstimator('o200k_base');
    expect(estimator.count('a\ud800b\udc00')).toBeGreaterThan(0);
  });

  it('stays within 0.1 % where runs are cut', async () => {
    const estimator = await createBpeEstimator('o200k_base');
    const text = `${'x '.repeat(500)}${'='.repeat(2_000)}\n${'word and more. '.repeat(1_500)}${'会話が続く。'.repeat(300)}`;
    const exact = countO200k(text, asText);
    expect(Math.abs(estimator.count(text) - exact) / exact).toBeLessThan(0.001);
  });

  // Who does it in the square of the length never ends within a test.
  it('gets through runs that a plain tokenizer takes minutes for', async () => {
    const estimator = await createBpeEstimator('o200k_base');
    for (const character of ['a', '漢', ' ', '-', '😀']) {
      expect(estimator.count(character.repeat(400_000))).toBeGreaterThan(1_000);
    }
  });
});
