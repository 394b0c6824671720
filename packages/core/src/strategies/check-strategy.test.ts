import { describe, expect, it } from 'vitest';
import { agentRun, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { checkStrategy } from './strategy.ts';
import { createStrategy, strategyNames } from './create-strategy.ts';
import { emptyState } from '../pass/state.ts';
import { prepare } from '../context/prepare.ts';
import type { Strategy } from './strategy.ts';

const own = createStrategy('reactive-overflow');

describe('checkStrategy', () => {
  it.each(strategyNames)('finds nothing wrong with %s', (name) => {
    const strategy = createStrategy(name);
    expect(checkStrategy(strategy)).toBe(strategy);
  });

  it.each<[string, object]>([
    ['strategy.triggerAt', { ...own, triggerAt: undefined }],
    ['strategy.trigger', { ...own, trigger: 'sometimes' }],
    ['strategy.ladderSteps', { ...own, ladderSteps: 'prune' }],
    ['strategy.ladderSteps[0]', { ...own, ladderSteps: [{ type: 'toString' }] }],
    ['strategy.ladderSteps[1]', { ...own, ladderSteps: [{ type: 'prune' }, null] }],
    [
      'strategy.ladderSteps[0].keep',
      { ...own, ladderSteps: [{ ...own.ladderSteps[0], keep: { type: 'all' } }] },
    ],
    [
      'strategy.ladderSteps[0].keep.share',
      { ...own, ladderSteps: [{ ...own.ladderSteps[0], keep: { type: 'last-share', share: 30 } }] },
    ],
    ['strategy.ladderSteps[0].writer', { ...own, ladderSteps: [{ ...own.ladderSteps[0], writer: 'me' }] }],
    ['strategy.validate', { ...own, validate: 'yes' }],
    ['strategy.validat', { ...own, validat: () => true }],
    ['strategy.ladderSteps[0].keeps', { ...own, ladderSteps: [{ ...own.ladderSteps[0], keeps: {} }] }],
    ['strategy.ladderSteps[0].writer', { ...own, ladderSteps: [{ type: 'prune', writer: 'code' }] }],
    [
      'strategy.ladderSteps[0].keep.turn',
      {
        ...own,
        ladderSteps: [{ ...own.ladderSteps[0], keep: { type: 'last-turns', turns: 2, share: 0.2, turn: 2 } }],
      },
    ],
    [
      'strategy.ladderSteps[0].keep.share',
      { ...own, ladderSteps: [{ ...own.ladderSteps[0], keep: { type: 'last-turns', turns: 2, share: 25 } }] },
    ],
  ])('names %s where it is wrong, before anything is done', (option, strategy) => {
    const policy = { ...policyOf(16_000), strategy: strategy as Strategy };
    expect(() => prepare(transcriptOf(agentRun(3)), emptyState(), policy)).toThrow(
      expect.objectContaining({
        code: 'invalid-option',
        details: expect.objectContaining({ option }) as unknown,
      }),
    );
  });

  const compact = own.ladderSteps[0];

  it.each<[string, object]>([
    ['got "squash"; known: prune, review, compact.', { ...own, ladderSteps: [{ type: 'squash' }] }],
    [
      'got "all"; known: last-turns, last-messages, last-share, fill.',
      { ...own, ladderSteps: [{ ...compact, keep: { type: 'all' } }] },
    ],
    ['got null; known: prune, review, compact.', { ...own, ladderSteps: [null] }],
    [
      'to be a share above 0, at most 1, got 30.',
      { ...own, ladderSteps: [{ ...compact, keep: { type: 'last-share', share: 30 } }] },
    ],
    ['(did you mean validate?), got a function.', { ...own, validat: () => true }],
    ['to be one of model, code, none, got "me".', { ...own, ladderSteps: [{ ...compact, writer: 'me' }] }],
  ])('says what came and what is known: %s', (sentence, strategy) => {
    expect(() => checkStrategy(strategy as Strategy)).toThrow(sentence);
  });
});
