import type { ModelCall, ModelDriver, ModelEvent, StepEnd, StepError, StepRequest } from '@throughline/ports';
import { expect } from 'vitest';

/** A step, read to its end. */
export interface ReadStep {
  readonly events: readonly ModelEvent[];
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ModelCall[];
  readonly last: StepEnd | StepError;
}

const neverAborted = new AbortController().signal;

/** Reads the stream to its end, and holds it against the grammar of the port. */
export async function readStep(
  driver: ModelDriver,
  request: StepRequest,
  signal: AbortSignal = neverAborted,
): Promise<ReadStep> {
  const events: ModelEvent[] = [];
  for await (const event of driver.stream(request, { signal })) events.push(event);
  return checkedStep(events);
}

/** The step that these events tell of; throws where they break the grammar. */
export function checkedStep(events: readonly ModelEvent[]): ReadStep {
  const open = new Set<string>();
  const inputs = new Set<string>();
  const isLast = ({ type }: ModelEvent): boolean => type === 'end' || type === 'error';
  expect(events.filter(isLast)).toHaveLength(1);
  for (const event of events) {
    if (event.type === 'text-start' || event.type === 'reasoning-start') {
      expect(open, `${event.id} begins once`).not.toContain(event.id);
      open.add(event.id);
    }
    if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
      expect(open).toContain(event.id);
      expect(event.text.isWellFormed()).toBe(true);
      expect(event.text).not.toBe('');
    }
    if (event.type === 'text-end' || event.type === 'reasoning-end') expect(open.delete(event.id)).toBe(true);
    if (event.type === 'tool-input-start') inputs.add(event.callId);
    if (event.type === 'tool-input-delta') expect(inputs).toContain(event.callId);
    if (event.type === 'call') inputs.delete(event.call.callId);
  }
  const last = events.at(-1);
  if (last?.type !== 'end' && last?.type !== 'error') throw new Error('the last event is not the last');
  expect([...open], 'everything ends').toEqual([]);
  if (last.type === 'end') expect([...inputs], 'every input becomes a call').toEqual([]);
  return {
    events,
    text: events.map((event) => (event.type === 'text-delta' ? event.text : '')).join(''),
    reasoning: events.map((event) => (event.type === 'reasoning-delta' ? event.text : '')).join(''),
    calls: events.flatMap((event) => (event.type === 'call' ? [event.call] : [])),
    last,
  };
}
