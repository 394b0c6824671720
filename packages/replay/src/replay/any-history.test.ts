import { createRequestLog } from './bill-of.ts';
import { createTokenCounter } from '../sessions/token-count.ts';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { figuresOf } from '../metrics/metrics.ts';
import { historyArbitrary } from '@throughline/testkit';
import { noManagement } from '../contenders/baselines.ts';
import { ours } from '../contenders/ours.ts';
import { planSteps } from './plan-steps.ts';
import { replaySession } from './replay-session.ts';
import { sessionOf, settingOf } from '../../test/test-views.ts';
import { strategyNames } from '@throughline/core/internal';

describe('any history', () => {
  it('is replayed under every strategy, request by request, whatever stands in it', async () => {
    const counter = createTokenCounter({ name: 'characters/4', count: (text) => text.length / 4 });
    const textTokens = counter.ofText;
    const setting = { ...settingOf(2_000), tokensOf: counter.ofMessage, textTokens };
    const histories = historyArbitrary({ format: 'openai-chat', hostility: 'wild' });
    await fc.assert(
      fc.asyncProperty(histories, fc.constantFrom('none', ...strategyNames), async (messages, strategy) => {
        const plan = planSteps(sessionOf(messages), { maxSteps: 100, textTokens });
        const shared = { strategy, windowTokens: 10_000, reportsUsage: true, textTokens };
        const contender = strategy === 'none' ? noManagement : ours({ ...shared, asksModel: true });
        const log = createRequestLog(setting);
        const sums = await replaySession(plan, contender, setting, (view) => log.add(view));
        expect(log.requests).toHaveLength(plan.steps.length);
        const figures = figuresOf(sums);
        expect(figures.determinismFaults).toBe(0);
        for (const { tokens = 0, repeatedTokens } of log.requests)
          expect(repeatedTokens).toBeLessThanOrEqual(tokens);
      }),
      { numRuns: 40 },
    );
  });
});
