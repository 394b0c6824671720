import { describe, expect, it } from 'vitest';
import { modelNeed } from './model-need.ts';
import { strategyNames } from '@throughline/core';

describe('modelNeed', () => {
  it('says what each strategy asks a model for', () => {
    expect(Object.fromEntries(strategyNames.map((name) => [name, modelNeed(name)]))).toEqual({
      'reactive-overflow': 'summary',
      'proactive-threshold': 'summary',
      'threshold-tail': 'summary',
      'middle-removal': 'none',
      'pruning-agent': 'decisions',
      digest: 'none',
    });
  });
});
