import { editObject, editText } from '@throughline/core/codec';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffEdits } from './edit-slice.ts';
import type { Path, WireEdit } from '@throughline/core/codec';

/** Places of a value, each with whether it lies directly in an array. */
function placesOf(value: unknown, at: Path = []): Path[] {
  if (Array.isArray(value)) return [at, ...value.flatMap((item, index) => placesOf(item, [...at, index]))];
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, item]) => placesOf(item, [...at, key]))];
}

describe('diffEdits', () => {
  it('makes the edited value of the original, as an object and as text', () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), (left, right) => {
        const [original, edited] = [JSON.parse(left) as unknown, JSON.parse(right) as unknown];
        const edits = diffEdits(original, edited);
        expect(editObject(original, edits)).toEqual(edited);
        expect(JSON.parse(editText(left, edits) ?? '')).toEqual(edited);
      }),
    );
  });

  it('finds again what an edit list changed, and nothing else', () => {
    const input = fc.json().chain((text) => {
      const value = JSON.parse(text) as unknown;
      const place = fc.constantFrom(...placesOf(value).filter((at) => at.length > 0), ['none']);
      return fc.record({ text: fc.constant(text), place, remove: fc.boolean() });
    });
    fc.assert(
      fc.property(input, ({ text, place, remove }) => {
        const original = JSON.parse(text) as unknown;
        const edit: WireEdit = remove ? { at: place, remove: true } : { at: place, set: 'new' };
        const edited = editObject(original, [edit]);
        const edits = diffEdits(original, edited);
        expect(editText(text, edits)).toBe(editText(text, edited === original ? [] : [edit]));
      }),
    );
  });

  it('gives nothing for equal values', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(diffEdits(JSON.parse(text), JSON.parse(text))).toEqual([]);
      }),
    );
  });
});
