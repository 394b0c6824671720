import { createStrategy } from '@throughline/core';
import { budgetOf, strategyNames } from '@throughline/core/internal';
import { describe, expect, it } from 'vitest';
import { engineOptionsOf } from './engine-options.ts';
import { parseConfig } from './parse-config.ts';
import type { ConfigResult } from './parse-config.ts';
import type { Strategy } from '@throughline/core';

function parse(text: string): ConfigResult {
  return parseConfig({ file: { path: '/a.yaml', text }, environment: {}, workingFolder: '/' });
}

function optionsOf(text: string): ReturnType<typeof engineOptionsOf> {
  const result = parse(text);
  if (result.type === 'faults') throw new Error(JSON.stringify(result.faults));
  return engineOptionsOf(result.config.context);
}

describe('engineOptionsOf', () => {
  it('has the defaults of the engine where nothing is said', () => {
    const { strategy, budget, ...rest } = optionsOf('');
    const windowTokens = 128_000;
    expect(budgetOf({ windowTokens, ...budget })).toEqual(budgetOf({ windowTokens }));
    expect(strategy).toMatchObject({
      ...createStrategy('reactive-overflow'),
      triggerAt: expect.any(Function),
    });
    expect(rest).toEqual({ auto: true, background: true, showsBudget: false });
  });

  it.each(strategyNames)('makes the strategy %s with its defaults', (name) => {
    const { strategy } = optionsOf(`context: { compaction: { strategy: ${name} } }`);
    const expected = createStrategy(name);
    expect(strategy).toMatchObject({ name, ladderSteps: expected.ladderSteps });
    expect(strategy.triggerAt(90_000, 128_000)).toBe(expected.triggerAt(90_000, 128_000));
  });

  it('hands on what is said', () => {
    const text = `
context:
  window: 64k
  outputReserve: 4k
  safety: 1k
  target: 50%
  softThreshold: 0.7
  showBudget: true
  compaction:
    auto: false
    background: false
    strategy: threshold-tail
    options: { thresholdPercent: 60%, thresholdTokens: 30k, recentMessagesToKeep: 4 }
`;
    expect(optionsOf(text)).toMatchObject({
      windowTokens: 64_000,
      budget: {
        outputReserveTokens: 4_000,
        safetyTokens: 1_000,
        target: 0.5,
        softThreshold: 0.7,
        thresholdTokens: 30_000,
      },
      auto: false,
      background: false,
      showsBudget: true,
      strategy: { name: 'threshold-tail', ladderSteps: [{}, { keep: { messages: 4 } }] },
    });
  });
});

describe('thresholds of single models', () => {
  it('are what is said of them, and nothing that is said of all', () => {
    const { byModel, windowTokens } = optionsOf(`
context:
  window: 64k
  byModel:
    anthropic:claude-sonnet-5: { window: 200k, target: 40%, prune: { minTurnsToKeep: 0 } }
    "openai-compatible:org/model.v1": { thresholdTokens: 9k, maxSummaryTokens: 500, outputReserve: 1k }
    demo: {}
`);
    expect(windowTokens).toBe(64_000);
    expect(byModel).toEqual({
      'anthropic:claude-sonnet-5': { windowTokens: 200_000, budget: { target: 0.4, keepTurns: 0 } },
      'openai-compatible:org/model.v1': {
        budget: { thresholdTokens: 9_000, summaryTokens: 500, outputReserveTokens: 1_000 },
      },
      demo: { budget: {} },
    });
  });

  it.each([
    ['byModel: { "a b": {} }', 'the name of a model'],
    ['byModel: { demo: { windwo: 9k } }', 'window'],
    ['byModel: { demo: { target: 7 } }', 'context.byModel.demo.target'],
    ['outputReserve: 6k, byModel: { demo: { window: 9k } }', 'context.byModel.demo.'],
  ])('are refused as %s', (text, says) => {
    const result = parse(`context: { ${text} }`);
    expect(result.type).toBe('faults');
    expect(JSON.stringify(result)).toContain(says);
  });
});

describe('what is pruned and compacted', () => {
  it.each([
    ['prune: { protectTokens: 9k }', { keepTokens: 9_000 }],
    ['compaction: { options: { pruneProtectTokens: 8k } }', { keepTokens: 8_000 }],
    ['prune: { minTurnsToKeep: 0 }', { keepTurns: 0 }],
    ['prune: { minimumTokens: 7k }', { leastGainTokens: 7_000 }],
    ['compaction: { options: { maxSummaryTokens: 600 } }', { summaryTokens: 600 }],
  ])('is what %s says', (text, budget) => {
    const said = optionsOf(`context: { ${text} }`).budget;
    expect(said).toEqual({ ...optionsOf('').budget, ...budget });
    expect(budgetOf({ windowTokens: 128_000, ...said })).toMatchObject(budget);
  });

  it.each([
    ['reactive-overflow', 'preserveLastNTurns: 5', { turns: 5 }],
    ['threshold-tail', 'recentMessagesToKeep: 5', { messages: 5 }],
    ['proactive-threshold', 'keepPercent: 55', { share: 0.55 }],
  ])('is what %s leaves with %s', (strategy, option, keep) => {
    const text = `context: { compaction: { strategy: ${strategy}, options: { ${option} } } }`;
    expect(optionsOf(text).strategy.ladderSteps).toContainEqual(
      expect.objectContaining({ keep: expect.objectContaining(keep) }),
    );
  });
});

describe('a warning that an option does nothing', () => {
  const values = { preserveLastNTurns: 7, recentMessagesToKeep: 7, keepPercent: 77, thresholdPercent: 77 };
  const shape = (strategy: Strategy): string =>
    JSON.stringify([strategy.ladderSteps, strategy.triggerAt(90_000, 128_000)]);

  it.each(
    strategyNames.flatMap((name) => Object.entries(values).map((option) => [name, ...option] as const)),
  )('comes with %s and %s just where the engine does nothing with it', (name, option, value) => {
    const text = `context: { compaction: { strategy: ${name}, options: { ${option}: ${value} } } }`;
    const isOfUse = shape(createStrategy(name, { [option]: value })) !== shape(createStrategy(name));
    expect(parse(text).warnings).toHaveLength(isOfUse ? 0 : 1);
  });
});

describe('the ranges of the options of a strategy', () => {
  it.each(
    ['preserveLastNTurns', 'recentMessagesToKeep', 'keepPercent', 'thresholdPercent'].flatMap((option) =>
      [-1, 0, 0.5, 1, 2, 50, 99, 99.5, 100, 101].map((value) => [option, value] as const),
    ),
  )('are those of the engine: %s %d', (option, value) => {
    const isTaken = (): boolean => {
      try {
        createStrategy('reactive-overflow', { [option]: value });
        return true;
      } catch {
        return false;
      }
    };
    const text = `context: { compaction: { options: { ${option}: ${value} } } }`;
    expect(parse(text).type === 'config').toBe(isTaken());
  });
});
