import { describe, expect, it } from 'vitest';
import { call, measure, planOf, result, user, viewOf } from '../../test/test-views.ts';
import { priceProfiles, replayCost, replayCostFigures, stepCost } from './replay-cost.ts';
import { prefixFigures, prefixStability } from './prefix-stability.ts';

// 14 characters and 4 for the message; calls 4 + "read" + newline + arguments; results 10 + 4.
const messages = [
  user('Do it, please!'),
  call('a', { q: 1 }),
  result('a', 'ten chars.'),
  call('b', { q: 1 }),
  result('b', 'ten chars.'),
  call('c', { q: 1 }),
];
const [userTokens, callTokens, resultTokens] = [18, 16, 14];

describe('stepCost', () => {
  it('pays a tenth for what is cached and a quarter more for what is not', () => {
    expect(stepCost(1_000, 600, priceProfiles.anthropic)).toBeCloseTo(60 + 500);
  });

  it('is the tokens sent where there is no cache', () => {
    expect(stepCost(1_000, 600, priceProfiles.flat)).toBe(1_000);
  });
});

describe('replayCost', () => {
  const plan = planOf(messages);
  const histories = plan.steps.map(({ historyLength }) => messages.slice(0, historyLength));
  const sizes = [
    userTokens,
    userTokens + callTokens + resultTokens,
    userTokens + 2 * (callTokens + resultTokens),
  ];

  it('is 1 for no management, and pays each token once and a tenth ever after', async () => {
    const views = plan.steps.map((step, index) => viewOf(plan, step, histories[index] ?? []));
    const sums = await measure(replayCost, plan, views);
    expect(replayCostFigures(sums).cost).toEqual({
      anthropic: { inside: 1, recorded: 1 },
      openai: { inside: 1, recorded: 1 },
      flat: { inside: 1, recorded: 1 },
    });
    const [first = 0, second = 0, third = 0] = sizes;
    expect(sums['anthropic.inside.cost']).toBeCloseTo(1.25 * third + 0.1 * (first + second));
    expect(sums['flat.inside.cost']).toBe(first + second + third);
  });

  it('pays for the whole request where its beginning changes', async () => {
    const views = plan.steps.map((step, index) =>
      viewOf(plan, step, [user(`${index}`), ...(histories[index] ?? [])]),
    );
    const sums = await measure(replayCost, plan, views);
    const sent = sizes.reduce((sum, size) => sum + size + 5, 0);
    expect(sums['anthropic.inside.cost']).toBeCloseTo(1.25 * sent);
    expect(prefixFigures(await measure(prefixStability, plan, views))).toMatchObject({
      prefixKept: 0,
      breaks: 2,
      silentBreaks: 2,
    });
  });

  it('has nothing cached after a gap longer than the lifetime of the cache', async () => {
    const minuteMs = 60_000;
    const timed = planOf(messages, [0, 0, 0, 6 * minuteMs, 6 * minuteMs, 7 * minuteMs]);
    const views = timed.steps.map((step, index) => viewOf(timed, step, histories[index] ?? []));
    const sums = await measure(replayCost, timed, views);
    const [first = 0, second = 0, third = 0] = sizes;
    expect(sums['anthropic.recorded.cost']).toBeCloseTo(
      1.25 * first + 1.25 * second + 1.25 * (third - second) + 0.1 * second,
    );
    expect(sums['openai.recorded.cost']).toBeCloseTo(third + 0.1 * (first + second));
    expect(replayCostFigures(sums)).toMatchObject({ timedSteps: 2 / 3 });
  });

  it('charges the summariser for what it reads and writes', async () => {
    const [step] = plan.steps;
    if (!step) throw new Error('Expected a step.');
    const summaries = [{ instructions: 'Be short.', conversation: '12345', answer: 'ok' }];
    const sums = await measure(replayCost, plan, [viewOf(plan, step, histories[0] ?? [], { summaries })]);
    const bare = await measure(replayCost, plan, [viewOf(plan, step, histories[0] ?? [])]);
    const added = (sums['anthropic.inside.cost'] ?? 0) - (bare['anthropic.inside.cost'] ?? 0);
    expect(added).toBeCloseTo(9 + 5 + 8 + 5 * 2);
    expect(replayCostFigures(sums).summaryCalls).toBe(1);
  });
});

describe('prefixStability', () => {
  const plan = planOf(messages);
  const histories = plan.steps.map(({ historyLength }) => messages.slice(0, historyLength));

  it('finds no break where the history only grows', async () => {
    const views = plan.steps.map((step, index) => viewOf(plan, step, histories[index] ?? []));
    expect(prefixFigures(await measure(prefixStability, plan, views))).toMatchObject({
      prefixKept: 1,
      breaks: 0,
      rewrittenTokens: 0,
    });
  });

  it('tells a break at a compaction from a silent one, and counts what is sent again', async () => {
    const [, second, third] = plan.steps;
    if (!second || !third) throw new Error('Expected three steps.');
    const short = [messages[0], user('Record.')];
    const views = [
      viewOf(plan, second, histories[1] ?? []),
      viewOf(plan, third, [...short, ...(messages.slice(3, 5) as unknown[])], { isCompaction: true }),
    ];
    const sums = await measure(prefixStability, plan, views);
    expect(prefixFigures(sums)).toMatchObject({ breaks: 1, silentBreaks: 0, compactions: 1 });
    expect(prefixFigures(sums).prefixKept).toBeCloseTo(userTokens / (userTokens + callTokens + resultTokens));
    expect(prefixFigures(sums).rewrittenTokens).toBe('Record.'.length + 4);
  });
});
