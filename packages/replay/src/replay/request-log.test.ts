import { call, planOf, result, user, viewOf } from '../../test/test-views.ts';
import { createRequestLog } from './request-log.ts';
import { describe, expect, it } from 'vitest';
import type { StepView } from '../metrics/metric.ts';

const messages = [
  user('Please do the work.'),
  call('a', { path: 'x' }),
  result('a', 'some output'),
  call('b', { path: 'y' }),
  result('b', 'more output'),
  call('c', { path: 'z' }),
];
const plan = planOf(messages);
const textTokens = (text: string): number => text.length;

function logged(views: readonly StepView[]) {
  const log = createRequestLog({ textTokens, outsideTokens: 100 });
  for (const view of views) log.add(view);
  return log.requests;
}

function viewAt(index: number, sent: readonly unknown[], more: Parameters<typeof viewOf>[3] = {}): StepView {
  const step = plan.steps[index];
  if (!step) throw new Error('Expected a step.');
  return viewOf(plan, step, sent, more);
}

describe('createRequestLog', () => {
  it('counts system text and tools in every request, and as repeated in all but the first', () => {
    const [first, second] = logged([viewAt(0, messages.slice(0, 1)), viewAt(1, messages.slice(0, 3))]);
    const tokens = first?.tokens ?? 0;
    expect(first).toMatchObject({ repeatedTokens: 0, isBreak: false });
    expect(tokens).toBeGreaterThan(100);
    expect(second).toMatchObject({ repeatedTokens: tokens, isBreak: false, isCompaction: false });
  });

  it('sees a break, a compaction, what it costs and what a model was asked', () => {
    const passCost = { rewriteUsd: 1, summariserUsd: 0, savedPerStepUsd: 1, breakEvenSteps: 1 };
    const summaries = [{ instructions: '12', conversation: '345', answer: '6789' }];
    const [, second] = logged([
      viewAt(1, messages.slice(0, 3)),
      viewAt(2, [messages[0], user('Record.')], { isCompaction: true, passCost, summaries }),
    ]);
    expect(second).toMatchObject({
      isBreak: true,
      isCompaction: true,
      passCost,
      asked: [{ inputTokens: 5, outputTokens: 4 }],
    });
    // The first message is still the same.
    expect(second?.repeatedTokens).toBeGreaterThan(100);
  });

  it('compares with the last request that was sent', () => {
    const [, unsent, last] = logged([
      viewAt(0, messages.slice(0, 1)),
      { ...viewAt(1, []), sent: undefined },
      viewAt(2, messages.slice(0, 5)),
    ]);
    expect(unsent).toMatchObject({ tokens: undefined, repeatedTokens: 0, asked: [] });
    expect(last?.isBreak).toBe(false);
    expect(last?.repeatedTokens).toBeGreaterThan(100);
  });
});
