import { describe, expect, it } from 'vitest';
import { endOfAnswer } from './run-end.ts';
import type { AgentEvent } from '@throughline/agent';

const base = { seq: 1, runId: null, atMs: 0 };
const queued = (id: string): AgentEvent => ({ ...base, type: 'message:queued', data: { id, position: 1 } });
const removed = (id: string): AgentEvent => ({ ...base, type: 'message:removed', data: { id } });
const dequeued = (runId: string, ...ids: string[]): AgentEvent => {
  const data = { count: ids.length, ids, coalesced: ids.length > 1, messageId: 'm' };
  return { ...base, type: 'message:dequeued', runId, data };
};
const ended = (runId: string, type: 'completed' | 'cancelled' = 'completed'): AgentEvent => {
  const outcome = type === 'completed' ? ({ type, finish: 'stop' } as const) : { type };
  return { ...base, type: 'run:end', runId, data: { runId, outcome, durationMs: 1 } };
};

const endsAt = (isLast: (event: AgentEvent) => boolean, events: readonly AgentEvent[]): number =>
  events.findIndex(isLast);

describe('the end of what answers a message', () => {
  it.each<[string, readonly AgentEvent[], number]>([
    ['is the end of the run that takes it', [dequeued('r', 'a'), ended('r')], 1],
    [
      'is not the end of the run that it waits for',
      [queued('a'), ended('r'), dequeued('s', 'b', 'a'), ended('s')],
      3,
    ],
    ['is the end of a run that leaves it waiting', [queued('a'), ended('r', 'cancelled')], 1],
    [
      'is not the end of a run before it was sent',
      [ended('q', 'cancelled'), dequeued('r', 'a'), ended('r')],
      2,
    ],
    ['is its removal', [queued('a'), removed('b'), removed('a')], 2],
    ['is how its run ended, too', [dequeued('r', 'a'), ended('r', 'cancelled')], 1],
    ['does not come while its run goes on', [dequeued('r', 'a'), ended('q')], -1],
  ])('%s', (_, events, at) => {
    expect(endsAt(endOfAnswer('a'), events)).toBe(at);
  });
});
