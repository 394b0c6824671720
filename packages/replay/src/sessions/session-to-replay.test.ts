import { describe, expect, it } from 'vitest';
import { recordedTimes } from './session-to-replay.ts';

describe('recordedTimes', () => {
  it('finds the time a log gives beside a message', () => {
    const at = '2026-01-02T03:04:05.000Z';
    const line = { number: 1, text: '', value: { timestamp: at } };
    const lines = { type: 'lines', lines: [line], lineEnd: '\n', finalEnd: '' } as const;
    const origin = { type: 'line', line: 0, at: [] } as const;
    expect(recordedTimes({ origins: [origin, { type: 'composed' }] }, lines)).toEqual([
      Date.parse(at),
      undefined,
    ]);
    const json = {
      type: 'json',
      text: '',
      value: { messages: [{ info: { time: { created: 5 } } }] },
    } as const;
    expect(recordedTimes({ origins: [{ type: 'element', array: ['messages'], index: 0 }] }, json)).toEqual([
      5,
    ]);
  });
});
