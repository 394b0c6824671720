import { expect, it } from 'vitest';
import { exitCodeOfOutcome } from './exit-code-of-outcome.ts';

it.each([
  ['a full disk is the store’s fault', { type: 'broken', code: 'store-failed', message: 'full' }, 3],
  ['what nobody foresaw is a fault of the program', { type: 'broken', code: 'fault', message: 'oh' }, 5],
  ['an answer that was cut is not good', { type: 'completed', finish: 'length' }, 1],
  ['an answer is good', { type: 'completed', finish: 'stop' }, 0],
] as const)('%s', (_, outcome, code) => {
  expect(exitCodeOfOutcome(outcome)).toBe(code);
});
