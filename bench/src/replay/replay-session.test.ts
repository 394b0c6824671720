import { describe, expect, it } from 'vitest';
import { findWireFaults } from '@throughline/testkit';
import { batchMasking, noManagement, rollingMasking } from '../contenders/baselines.ts';
import { call, planOf, result, sessionOf, settingOf } from '../metrics/test-views.ts';
import { chatTranscript } from '../synthetic/chat-transcript.ts';
import { createModelHistory } from '../peers/model-history.ts';
import { createTokenCounter } from '../metrics/token-count.ts';
import { figuresOf } from '../metrics/metrics.ts';
import { isEvenPick, planSteps } from '../sessions/plan-steps.ts';
import { ours } from '../contenders/ours.ts';
import { peerContender } from '../peers/peer-contender.ts';
import { replaySession } from './replay-session.ts';
import type { Contender } from '../contenders/contender.ts';
import type { Figures } from '../metrics/metrics.ts';

const perFour = createTokenCounter({ name: 'characters/4', count: (text) => text.length / 4 });
const engine = { windowTokens: 200_000, reportsUsage: false, textTokens: perFour.ofText };

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

  it.each([false, true])(
    'shows our engine sending what an independent judge accepts (model: %s)',
    async (asksModel) => {
      const contender = ours({ ...engine, strategy: 'reactive-overflow', asksModel });
      const judged: Contender = {
        name: 'judged',
        kind: 'ours',
        start(session, budgetTokens) {
          const run = contender.start(session, budgetTokens);
          return {
            ...run,
            async step(length, count) {
              const sent = await run.step(length, count);
              expect(
                findWireFaults('openai-chat', sent?.messages ?? [], { ending: 'send', wantsUserFirst: true }),
              ).toEqual([]);
              return sent;
            },
          };
        },
      };
      const figures = await replay(judged, chatTranscript(240), 12_000);
      expect(figures).toMatchObject({ valid: 1, unsendable: 0, silentBreaks: 0, determinismFaults: 0 });
      expect(figures).toMatchObject({ reversibility: 1 });
      expect(figures.determinismChecks).toBeGreaterThan(0);
      expect(figures.compactions).toBeGreaterThan(2);
      expect(figures.summaryCalls > 0).toBe(asksModel);
    },
  );
});

describe('the sessions that peers get', () => {
  const messages = chatTranscript(120);
  const idle = (joinsResults: boolean): Contender =>
    peerContender(
      'idle',
      { ...engine, joinsResults },
      () =>
        ({ history }) =>
          history,
    );

  it.each([true, false])('have lost nothing on the way (results joined: %s)', async (joinsResults) => {
    const figures = await replay(idle(joinsResults), messages, 2_000);
    expect(figures).toMatchObject({ valid: 1, breaks: 0, userMessages: 1, prefixKept: 1, postUses: 0 });
    expect(figures.recall.all.hit).toBe(1);
    expect(figures.cost.flat.inside).toBeGreaterThan(0.97);
    expect(figures.cost.flat.inside).toBeLessThan(1.03);
  });

  it('have unique call ids, each result behind its call', () => {
    const twice = [
      { role: 'user', content: 'Go.' },
      ...[1, 2].flatMap(() => [call('same', {}), result('same', 'ok')]),
    ];
    const history = createModelHistory(sessionOf(twice), { splitsResults: true }).upTo(5);
    const ids = history.flatMap(({ content }) =>
      typeof content === 'string'
        ? []
        : content.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : [])),
    );
    expect(ids).toEqual(['same', 'same', 'same-2', 'same-2']);
  });
});

describe('planSteps', () => {
  it('begins a response where a message with its own results is followed by another', () => {
    const plan = planOf([
      { role: 'user', content: 'Go.' },
      call('a', {}),
      result('a', 'x'),
      call('b', {}),
      call('c', {}),
    ]);
    expect(plan.steps.map(({ historyLength }) => historyLength)).toEqual([1, 3]);
  });

  it('knows the time between responses where the log says it', () => {
    const plan = planOf(
      [{ role: 'user', content: 'Go.' }, call('a', {}), result('a', 'x'), call('b', {})],
      [0, 100, 200, 900],
    );
    expect(plan.steps.map(({ gapMs }) => gapMs)).toEqual([undefined, 800]);
  });
});

describe('isEvenPick', () => {
  it('picks as many as asked, evenly', () => {
    const picked = Array.from({ length: 100 }, (_, index) => index).filter((index) =>
      isEvenPick(index, 100, 7),
    );
    expect(picked).toHaveLength(7);
    expect(Math.max(...picked.slice(1).map((index, at) => index - (picked[at] ?? 0)))).toBeLessThanOrEqual(
      15,
    );
    expect(isEvenPick(3, 5, 10)).toBe(true);
  });
});
