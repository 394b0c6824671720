import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTextReader } from './text-reader.ts';
import type { AgentEvent } from '@throughline/protocol/types';

type Chunk = Extract<AgentEvent, { type: 'llm:chunk' }>['data'];

function chunk(content: string, more: Partial<Chunk> = {}): AgentEvent {
  const data: Chunk = { chunkType: 'text', content, messageId: 'm', part: 0, ...more };
  return { seq: 1, type: 'llm:chunk', data, runId: 'r', atMs: 0 };
}

const whole = { isComplete: true } as const;

function read(events: readonly AgentEvent[], type?: 'text' | 'reasoning'): string {
  return events.map(createTextReader(type)).join('');
}

describe('a reader of text', () => {
  it('gives each character once, whichever of the last pieces the whole has replaced', () => {
    const pieces = fc.array(fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'b') }));
    fc.assert(
      fc.property(pieces, fc.nat(), (texts, count) => {
        const told = texts.slice(0, count % (texts.length + 1)).map((text) => chunk(text));
        expect(read([...told, chunk(texts.join(''), whole)])).toBe(texts.join(''));
      }),
    );
  });

  it('keeps parts apart, and gives one of the same number in the next message anew', () => {
    const next = { messageId: 'n' };
    const events = [
      chunk('ab'),
      chunk('x', { part: 1 }),
      chunk('abc', whole),
      chunk('xy', { part: 1, ...whole }),
    ];
    expect(read([...events, chunk('abc', { ...next, ...whole })])).toBe('abxcyabc');
  });

  it('gives the rest of a part in whose middle it began', () => {
    expect(read([chunk('cd'), chunk('ef'), chunk('abcdef', whole)])).toBe('cdef');
    expect(read([chunk('cd'), chunk('abcdef', whole)])).toBe('cdef');
  });

  it('gives text or reasoning, and nothing of other events', () => {
    const other: AgentEvent = { seq: 2, type: 'session:updated', data: { title: 'T' }, runId: null, atMs: 0 };
    const events = [chunk('thought', { chunkType: 'reasoning' }), other, chunk('said', { part: 1 })];
    expect([read(events), read(events, 'reasoning')]).toEqual(['said', 'thought']);
  });
});
