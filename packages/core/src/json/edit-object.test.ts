import { describe, expect, it } from 'vitest';
import { editObject } from './edit-object.ts';

describe('editObject', () => {
  const value = { head: { id: 1 }, list: [{ text: 'a' }, { text: 'b' }, { text: 'c' }], tail: [1, 2] };

  it('returns the same object without edits, for equal values and for paths that lead nowhere', () => {
    expect(editObject(value, [])).toBe(value);
    expect(editObject(value, [{ at: ['head', 'id'], set: 1 }])).toBe(value);
    expect(editObject(value, [{ at: ['list', 3], set: 1 }])).toBe(value);
    expect(editObject(value, [{ at: ['list', '0'], remove: true }])).toBe(value);
    expect(editObject(value, [{ at: ['toString'], remove: true }])).toBe(value);
    expect(editObject(7, [{ at: ['a'], set: 1 }])).toBe(7);
  });

  it('copies along the path only and leaves the original alone', () => {
    const before = JSON.stringify(value);
    const edited = editObject(value, [{ at: ['list', 1, 'text'], set: 'B' }]) as typeof value;

    expect(edited).toEqual({ ...value, list: [{ text: 'a' }, { text: 'B' }, { text: 'c' }] });
    expect(edited.head).toBe(value.head);
    expect(edited.tail).toBe(value.tail);
    expect(edited.list[0]).toBe(value.list[0]);
    expect(edited.list[2]).toBe(value.list[2]);
    expect(JSON.stringify(value)).toBe(before);
  });

  it('reads all paths as those of the original', () => {
    const edited = editObject(value, [
      { at: ['list', 0], remove: true },
      { at: ['list', 2, 'text'], set: 'C' },
      { at: ['list', 1, 'new'], set: true },
    ]);
    expect(edited).toMatchObject({ list: [{ text: 'b', new: true }, { text: 'C' }] });
  });

  it('edits one place of an object that appears twice', () => {
    const shared = { text: 'a' };
    const edited = editObject([shared, shared], [{ at: [0, 'text'], set: 'b' }]) as unknown[];
    expect(edited).toEqual([{ text: 'b' }, { text: 'a' }]);
    expect(edited[1]).toBe(shared);
  });

  it('keeps a member called __proto__ a member', () => {
    const hostile: unknown = JSON.parse('{"__proto__":{"a":1}}');
    const edited = editObject(hostile, [{ at: ['__proto__', 'a'], set: 2 }]);
    expect(JSON.stringify(edited)).toBe('{"__proto__":{"a":2}}');
    expect(JSON.stringify(editObject({}, [{ at: ['__proto__'], set: 1 }]))).toBe('{"__proto__":1}');
  });

  it('replaces or removes the root', () => {
    expect(editObject(value, [{ at: [], set: 'x' }])).toBe('x');
    expect(editObject(value, [{ at: [], remove: true }])).toBeUndefined();
  });
});
