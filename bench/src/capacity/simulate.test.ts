import { describe, expect, it } from 'vitest';
import { mostStepsPerSecond, simulateWaits } from './simulate.ts';

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

  it('are steps of more parts, each shorter: they wait less, and a core carries more of them', () => {
    const whole = mostStepsPerSecond({ cores: 1, stepMs: 10, parts: 1 }, 20, drawing);
    const cut = mostStepsPerSecond({ cores: 1, stepMs: 10, parts: 10 }, 20, drawing);
    expect(whole).toBeGreaterThan(20);
    expect(whole).toBeLessThan(50);
    expect(cut).toBeGreaterThan(75);
    expect(cut).toBeLessThan(100);
  });

  it('are as many as nearly fill many cores, and fewer of one', () => {
    const one = mostStepsPerSecond({ cores: 1, stepMs: 10, parts: 1 }, 20, drawing);
    const sixteen = mostStepsPerSecond({ cores: 16, stepMs: 10, parts: 1 }, 20, drawing);
    expect(sixteen).toBeGreaterThan(16 * one);
    expect(sixteen).toBeLessThan(1_600);
  });
});
