import { expect, it } from 'vitest';
import { untilSeen } from './driver-guards.ts';
import type { ModelEvent } from './model-event.ts';

const reason = { kind: 'rate', message: 'slowly', recoverable: true } as const;
const retry: ModelEvent = { type: 'retry', attempt: 2, delayMs: 1, nextAtMs: 1, reason };
const begun: ModelEvent = { type: 'text-start', id: 't' };
const failed: ModelEvent = { type: 'error', failure: reason, messages: [] };

async function* from(...events: readonly ModelEvent[]): AsyncGenerator<ModelEvent> {
  yield* events;
}

async function readTypes(events: AsyncGenerator<ModelEvent, unknown>): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { type } of events) types.push(type);
  return types;
}

it('tells of waits and warnings at once, and they are nothing that was seen', async () => {
  const told = untilSeen(from(begun, retry, failed), () => true);
  expect(await told.next()).toEqual({ done: false, value: retry });
  expect(await told.next()).toEqual({ done: true, value: failed });
});

it('keeps what was held back in its place once something shows', async () => {
  const delta: ModelEvent = { type: 'text-delta', id: 't', text: 'Hi' };
  expect(await readTypes(untilSeen(from(begun, retry, delta, failed), () => true))).toEqual([
    'retry',
    'text-start',
    'text-delta',
    'error',
  ]);
});

it('holds back no more than a thousand events', async () => {
  const many = Array.from({ length: 1_001 }, () => begun);
  expect(await readTypes(untilSeen(from(...many, failed), () => true))).toHaveLength(1_002);
  expect(await readTypes(untilSeen(from(...many.slice(1), failed), () => true))).toEqual([]);
});
