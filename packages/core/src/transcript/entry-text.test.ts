import { callInputText, callInputValue, entryText, stringLeaves, visitTexts } from './entry-text.ts';
import { describe, expect, it } from 'vitest';
import { call, entry, result, text } from '../../test/summary/builders.ts';
import type { CallId, CallPart } from './entry.ts';

const asCall = (part: unknown): CallPart => part as CallPart;
const textCall = (json: string): CallPart => ({
  type: 'call',
  callId: 'c' as CallId,
  name: 't',
  input: { type: 'text', text: json, at: [] },
  at: [],
});

describe('entry-text', () => {
  it('joins the visible text of a message', () => {
    const mixed = entry(1, 'assistant', [text('a'), call('t', {}), text(''), text('b')]);
    expect(entryText(mixed)).toBe('a\nb');
  });

  it('reads arguments that are text or a value, and keeps what does not parse', () => {
    expect(callInputValue(textCall('{"a":1}'))).toEqual({ a: 1 });
    expect(callInputValue(textCall('{broken'))).toBe('{broken');
    expect(callInputText(asCall(call('t', { a: 1 })))).toBe('{"a":1}');
  });

  it('finds strings in order, at any depth, and ends on cycles', () => {
    expect(stringLeaves({ a: ['x', { b: 'y' }], c: 'z' })).toEqual([
      { key: 'a', text: 'x' },
      { key: 'b', text: 'y' },
      { key: 'c', text: 'z' },
    ]);
    let deep: unknown = 'end';
    for (let depth = 0; depth < 200_000; depth++) deep = [deep];
    expect(stringLeaves(deep)).toEqual([{ key: '', text: 'end' }]);
    const cycle: Record<string, unknown> = { a: 'once' };
    cycle['self'] = cycle;
    expect(stringLeaves(cycle)).toEqual([{ key: 'a', text: 'once' }]);
    expect(callInputText(asCall(call('t', cycle)))).toBe('');
  });

  it('writes an object that lies at 2^60 places where it is met first', () => {
    let shared: unknown = { text: 'x' };
    for (let level = 0; level < 60; level += 1) shared = { a: shared, b: shared };
    const written = callInputText(asCall(call('t', shared)));
    expect(written.match(/"text"/g)).toHaveLength(1);
    const twice = { path: 'a.ts' };
    expect(callInputText(asCall(call('t', [twice, twice])))).toBe('[{"path":"a.ts"},{"path":"a.ts"}]');
  });

  it('visits every text with where it comes from', () => {
    const parts = [
      text('t'),
      call('n', { k: 'arg' }),
      result('out'),
      { type: 'opaque' as const, value: { o: 'deep' }, at: [] },
    ];
    const seen: string[] = [];
    visitTexts(entry(1, 'assistant', parts), (value, from, part) => seen.push(`${part} ${from} ${value}`));
    expect(seen).toEqual(['0 text t', '1 argument arg', '2 result out', '3 opaque deep']);
  });
});
