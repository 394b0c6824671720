import { describe, expect, it } from 'vitest';
import { call, planOf, result } from '../../test/test-views.ts';
import { isEvenPick } from './plan-steps.ts';

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
