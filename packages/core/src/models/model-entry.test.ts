import { describe, expect, it } from 'vitest';
import { knownModels } from './find-model.ts';
import { tokenizerSlope } from './model-entry.ts';

describe('tokenizerSlope', () => {
  it('is a factor near 1 for every model of the catalogue', () => {
    for (const { tokenizer } of knownModels) {
      expect(tokenizerSlope(tokenizer)).toBeGreaterThan(0.7);
      expect(tokenizerSlope(tokenizer)).toBeLessThan(1.5);
    }
  });
});
