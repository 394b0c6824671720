import { describe, expect, it } from 'vitest';
import { budget, budgetFigures } from './budget-and-time.ts';
import { call, measure, planOf, result, settingOf, user, viewOf } from '../../test/test-views.ts';
import { coverage, coverageFigures } from './coverage.ts';
import { determinism, determinismFigures } from './determinism.ts';
import { openaiChatCodec } from '@throughline/core';
import { reversibility, reversibilityFigures } from './reversibility.ts';
import type { Archive, Run } from '../contenders/contender.ts';

const messages = [
  user('Please do the work.'),
  call('a', { q: 'first call' }),
  result('a', 'a line of output\nanother line of it'),
  call('b', { q: 'x' }),
];
const plan = planOf(messages);
const last = plan.steps[1];
if (!last) throw new Error('Expected two steps.');

describe('M3, budget', () => {
  it('takes mean, largest, steps above B and above W, and use of B after the first trigger', async () => {
    const [first] = plan.steps;
    if (!first) throw new Error('Expected a step.');
    const views = [
      viewOf(plan, first, [user('x'.repeat(96))]),
      viewOf(plan, last, [user('x'.repeat(296))], { hasTriggered: true }),
    ];
    const setting = { ...settingOf(200), windowTokens: 1_250, outsideTokens: 0 };
    const figures = budgetFigures(await measure(budget, plan, views, { setting }));
    expect(figures).toEqual({
      meanTokens: 200,
      maxTokens: 300,
      overshoot: 1.5,
      stepsAbove: 1,
      overflowSteps: 1,
      utilisation: 1.5,
    });
  });
});

describe('M10, coverage', () => {
  it('is the share of removed lines that the summariser was given', async () => {
    const summaries = [{ instructions: '', conversation: 'Tool: a line of output', answer: '' }];
    const kept = [messages[0], user('Record.')];
    const read = await measure(coverage, plan, [viewOf(plan, last, kept, { summaries })]);
    expect(coverageFigures(read).coverageBySummariser).toBe(0);
    const whole = [{ instructions: '', conversation: 'a line of output', answer: '' }];
    const sums = await measure(coverage, plan, [viewOf(plan, last, kept, { summaries: whole })]);
    const removed = ['first call', 'a line of output', 'another line of it'].join('').length;
    expect(coverageFigures(sums).coverageBySummariser).toBeCloseTo('a line of output'.length / removed);
    expect(coverageFigures(sums).coverage).toBe(coverageFigures(sums).coverageBySummariser);
  });

  it('counts what an extractor reads to its end', async () => {
    const archive: Archive = { recall: () => undefined, restored: () => undefined };
    const sums = await measure(coverage, plan, [viewOf(plan, last, [messages[0]], { archive })]);
    expect(coverageFigures(sums)).toEqual({ coverage: 1, coverageBySummariser: 0 });
  });
});

describe('M11, reversibility', () => {
  it('is the share of removed messages that come back byte for byte', async () => {
    const archive: Archive = {
      recall: () => undefined,
      restored: (index) => (index === 1 ? JSON.parse(JSON.stringify(messages[1])) : { role: 'tool' }),
    };
    const sums = await measure(reversibility, plan, [viewOf(plan, last, [messages[0]], { archive })]);
    expect(reversibilityFigures(sums)).toEqual({ reversibility: 0.5 });
  });
});

describe('M12, determinism', () => {
  it('asks again at a compaction, and counts each answer that differs', async () => {
    const sent = [user('Record.')];
    const run: Run = {
      codec: openaiChatCodec,
      history: () => [],
      step: () => undefined,
      again: () => Promise.resolve([user('Record.')]),
      twice: () => Promise.resolve([user('Other.')]),
    };
    const view = viewOf(plan, last, sent, { isCompaction: true });
    expect(determinismFigures(await measure(determinism, plan, [view], { run }))).toEqual({
      determinismFaults: 1,
      determinismChecks: 2,
    });
  });
});
