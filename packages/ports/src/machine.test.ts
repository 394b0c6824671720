import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { AbortableWait } from './machine.ts';

const never = new Promise<object>(() => {});

it('gives what each promise gives, and fails as it fails', async () => {
  using abortableWait = new AbortableWait(new AbortController().signal);
  const value = {};
  expect(await abortableWait.waitFor(Promise.resolve(value))).toBe(value);
  await expect(abortableWait.waitFor(Promise.reject(new Error('no')))).rejects.toThrow('no');
});

it('waits for nothing any more once the signal is aborted', async () => {
  const controller = new AbortController();
  using abortableWait = new AbortableWait(controller.signal);
  const waiting = abortableWait.waitFor(never);
  controller.abort();
  expect(await waiting).toBeUndefined();
  expect(await abortableWait.waitFor(never)).toBeUndefined();
});

it('keeps one listener for all waits, and none behind them', async () => {
  const { signal } = new AbortController();
  const abortableWait = new AbortableWait(signal);
  for (let wait = 0; wait < 3; wait += 1) await abortableWait.waitFor(Promise.resolve({}));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  abortableWait[Symbol.dispose]();
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
