import { strategyNames } from '@throughline/core/internal';
import { findWireFaults } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { sessionOf, settingOf } from '../../test/test-views.ts';
import { workSession } from '../../test/work-session.ts';
import { figuresOf } from '../metrics/metrics.ts';
import { planSteps } from '../replay/plan-steps.ts';
import { replaySession } from '../replay/replay-session.ts';
import { createTokenCounter } from '../sessions/token-count.ts';
import { modelNeed, ours } from './ours.ts';
import type { SessionToReplay } from '../sessions/session-to-replay.ts';
import type { Contender, Sent } from './contender.ts';
import type { OursOptions } from './ours.ts';

const perFour = createTokenCounter({ name: 'characters/4', count: (text) => text.length / 4 });
const engine: OursOptions = {
  strategy: 'reactive-overflow',
  windowTokens: 200_000,
  reportsUsage: false,
  asksModel: false,
  textTokens: perFour.ofText,
};
const work = sessionOf(workSession(12));

/** A contender that shows what it sends to `look` before it is measured. */
function watched(contender: Contender, look: (sent: Sent | undefined) => void): Contender {
  return {
    ...contender,
    start(session, budgetTokens) {
      const run = contender.start(session, budgetTokens);
      return {
        ...run,
        async step(length, count, idleMs) {
          const sent = await run.step(length, count, idleMs);
          look(sent);
          return sent;
        },
      };
    },
  };
}

async function replay(contender: Contender, session: SessionToReplay, budgetTokens: number) {
  const plan = planSteps(session, { maxSteps: 1_000, textTokens: perFour.ofText });
  const setting = {
    ...settingOf(budgetTokens),
    windowTokens: 200_000,
    outputReserveTokens: 32_000,
    tokensOf: perFour.ofMessage,
    textTokens: perFour.ofText,
  };
  return figuresOf(await replaySession(plan, contender, setting));
}

describe('ours', () => {
  it.each([false, true])('sends what an independent judge accepts (model: %s)', async (asksModel) => {
    const judged = watched(ours({ ...engine, asksModel }), (sent) => {
      const faults = findWireFaults('openai-chat', sent?.messages ?? [], {
        ending: 'send',
        wantsUserFirst: true,
      });
      expect(faults).toEqual([]);
    });
    const figures = await replay(judged, work, 12_000);
    expect(figures).toMatchObject({ valid: 1, unsendable: 0, silentBreaks: 0, determinismFaults: 0 });
    expect(figures).toMatchObject({ reversibility: 1 });
    expect(figures.determinismChecks).toBeGreaterThan(0);
    expect(figures.compactions).toBeGreaterThan(2);
    expect(figures.summaryCalls > 0).toBe(asksModel);
  });

  it('says what each compaction costs and saves where it knows the prices', async () => {
    const costs: unknown[] = [];
    const prices = { input: 1, cacheRead: 0.1, cacheWrite: 1, output: 5 };
    const policy = { pricing: { prices, cache: { kind: 'automatic', lifetimeMs: 300_000 } } } as const;
    const priced = watched(ours({ ...engine, policy }), (sent) => {
      expect(sent?.passCost !== undefined).toBe(sent?.isCompaction);
      if (sent?.passCost) costs.push(sent.passCost.savedPerStepUsd);
    });
    const { compactions } = await replay(priced, work, 12_000);
    expect(costs).toHaveLength(compactions);
    for (const saved of costs) expect(saved).toBeGreaterThan(0);
  });

  it('makes room for the system text and the tools of the log where requests hold them', async () => {
    const session = { ...work, system: 'You are a coding agent. '.repeat(500) };
    const policy = { budget: { windowTokens: 16_000 } };
    const largest = async (countsOutside: boolean): Promise<number> =>
      (await replay(ours({ ...engine, policy, countsOutside }), session, 16_000)).maxTokens;
    expect((await largest(false)) - (await largest(true))).toBeGreaterThan(1_500);
  });
});

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
