import { describe, expect, it } from 'vitest';
import { batchMasking, noManagement, rollingMasking } from '../contenders/baselines.ts';
import { call, result, sessionOf, settingOf } from '../../test/test-views.ts';
import { createTokenCounter } from '../sessions/token-count.ts';
import { figuresOf } from '../metrics/metrics.ts';
import { planSteps } from './plan-steps.ts';
import { replaySession } from './replay-session.ts';
import type { Contender } from '../contenders/contender.ts';
import type { Figures } from '../metrics/metrics.ts';

const perFour = createTokenCounter({ name: 'characters/4', count: (text) => text.length / 4 });

async function replay(
  contender: Contender,
  messages: readonly unknown[],
  budgetTokens: number,
): Promise<Figures> {
  const plan = planSteps(sessionOf(messages), { maxSteps: 1_000, textTokens: perFour.ofText });
  const setting = {
    ...settingOf(budgetTokens),
    windowTokens: 200_000,
    outputReserveTokens: 32_000,
    tokensOf: perFour.ofMessage,
    textTokens: perFour.ofText,
  };
  return figuresOf(await replaySession(plan, contender, setting));
}

describe('replaySession', () => {
  const user = { role: 'user', content: 'Never stop.' };
  // Twelve results of 400 characters; the thirteenth call uses what only the first of them named.
  const messages = [
    user,
    ...Array.from({ length: 12 }, (_, index) => [
      call(`c${index}`, { path: 'x' }),
      result(`c${index}`, `${index === 0 ? 'src/first.ts' : 'word'} ${'.'.repeat(400)}`),
    ]).flat(),
    call('last', { path: 'src/first.ts' }),
  ];

  it('finds everything where nothing is managed, and pays for it once', async () => {
    const figures = await replay(noManagement, messages, 100);
    expect(figures).toMatchObject({ valid: 1, breaks: 0, userMessages: 1, prefixKept: 1 });
    expect(figures.cost.anthropic.inside).toBe(1);
    for (const split of ['all', 'far', 'locatorFar'] as const) expect(figures.recall[split].hit).toBe(1);
  });

  it('misses what a mask has hidden, and counts each break of the prefix', async () => {
    const figures = await replay(rollingMasking(10), messages, 100);
    expect(figures).toMatchObject({ farUses: 2, silentBreaks: 2, valid: 1, ruleSentences: 1 });
    expect(figures.recall.far.hit).toBe(0);
    expect(figures.postUses).toBe(figures.uses);
  });

  it('masks in batches down to half the budget', async () => {
    const figures = await replay(batchMasking, messages, 1_000);
    expect(figures.maxTokens).toBeLessThanOrEqual(1_000);
    expect(figures.silentBreaks).toBe(0);
    expect(figures.breaks).toBeGreaterThan(0);
  });

  it('counts results of parallel calls one by one when it masks', async () => {
    const parallel = {
      role: 'assistant',
      content: null,
      tool_calls: ['p', 'q'].map((id) => ({
        id,
        type: 'function',
        function: { name: 'read', arguments: '{}' },
      })),
    };
    const text = 'word '.repeat(100);
    const sent = await replay(
      rollingMasking(1),
      [user, parallel, result('p', text), result('q', text), call('r', {})],
      100,
    );
    const whole = await replay(
      noManagement,
      [user, parallel, result('p', text), result('q', text), call('r', {})],
      100,
    );
    expect(whole.maxTokens - sent.maxTokens).toBeGreaterThan(100);
    expect(whole.maxTokens - sent.maxTokens).toBeLessThan(130);
  });
});
