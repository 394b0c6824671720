import { describe, expect, it } from 'vitest';
import { mostPerSecond, simulateWaits } from './simulate.ts';

/** The same numbers each time. */
function drawing(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

describe('requests that wait for a core', () => {
  it('wait as the formula for one core says', () => {
    // Half busy: half of them need not wait.
    const { p50Ms, p95Ms, busy } = simulateWaits({ cores: 1, serviceMs: 10 }, 50, drawing(), 200_000);
    expect(busy).toBeCloseTo(0.5, 1);
    expect(p50Ms).toBeLessThan(1);
    // P(wait > t) = 0.5 · exp(-t / 20 ms), which is 0.05 at 46 ms.
    expect(p95Ms).toBeGreaterThan(41);
    expect(p95Ms).toBeLessThan(51);
  });

  it('are as many as nearly fill many cores, and fewer of one', () => {
    const one = mostPerSecond({ cores: 1, serviceMs: 10 }, 20, drawing);
    const sixteen = mostPerSecond({ cores: 16, serviceMs: 10 }, 20, drawing);
    expect(one).toBeGreaterThan(20);
    expect(one).toBeLessThan(50);
    expect(sixteen).toBeGreaterThan(16 * one);
    expect(sixteen).toBeLessThan(1_600);
  });
});
