import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { Patience } from './patience.ts';

const never = new Promise<object>(() => {});

it('gives what each promise gives, and fails as it fails', async () => {
  using patience = new Patience(new AbortController().signal);
  const value = {};
  expect(await patience.waitFor(Promise.resolve(value))).toBe(value);
  await expect(patience.waitFor(Promise.reject(new Error('no')))).rejects.toThrow('no');
});

it('waits for nothing any more once the signal is aborted', async () => {
  const controller = new AbortController();
  using patience = new Patience(controller.signal);
  const waiting = patience.waitFor(never);
  controller.abort();
  expect(await waiting).toBeUndefined();
  expect(await patience.waitFor(never)).toBeUndefined();
});

it('keeps one listener for all waits, and none behind them', async () => {
  const { signal } = new AbortController();
  const patience = new Patience(signal);
  for (let wait = 0; wait < 3; wait += 1) await patience.waitFor(Promise.resolve({}));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  patience[Symbol.dispose]();
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
