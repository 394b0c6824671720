import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdit } from './apply-edit.ts';

const piece = fc
  .array(fc.constantFrom('a', 'b', '\n', '\r\n', 'é', '😀', '\r'), { maxLength: 12 })
  .map((all) => all.join(''));
const once = { replaceAll: false };

describe('applyEdit', () => {
  it('leaves all bytes around the place as they are, whatever the line ends', () => {
    fc.assert(
      fc.property(piece, piece, (before, after) => {
        const text = `${before}<OLD>${after}`;
        const edited = applyEdit(text, { oldText: '<OLD>', newText: 'new', ...once });
        expect(edited).toMatchObject({ type: 'edited', text: `${before}new${after}` });
      }),
    );
  });

  it('finds a place by text with plain line ends and puts in those of the place', () => {
    const text = 'one\r\ntwo\r\nthree\nfour\n';
    expect(applyEdit(text, { oldText: 'one\ntwo', newText: '1\n2', ...once })).toMatchObject({
      text: '1\r\n2\r\nthree\nfour\n',
    });
    expect(applyEdit(text, { oldText: 'three\nfour', newText: '3\r\n4', ...once })).toMatchObject({
      text: 'one\r\ntwo\r\n3\n4\n',
    });
    expect(applyEdit(text, { oldText: 'two', newText: '2\n2a', ...once })).toMatchObject({
      text: 'one\r\n2\r\n2a\r\nthree\nfour\n',
      lines: [2],
    });
  });

  it('counts places that overlap, and replaces all that do not', () => {
    expect(applyEdit('aaa', { oldText: 'aa', newText: 'b', ...once })).toEqual({
      type: 'ambiguous',
      lines: [1, 1],
      count: 2,
    });
    expect(applyEdit('aaaa\naa', { oldText: 'aa', newText: '$&', replaceAll: true })).toEqual({
      type: 'edited',
      text: '$&$&\n$&',
      lines: [1, 1, 2],
    });
  });

  it('does the same as splitting and joining when it replaces all', () => {
    fc.assert(
      fc.property(
        piece.filter((text) => !text.includes('\r')),
        fc.constantFrom('a', 'ab', '\n'),
        (text, oldText) => {
          const edited = applyEdit(text, { oldText, newText: 'x\ny', replaceAll: true });
          expect(edited.type === 'edited' ? edited.text : text).toBe(text.split(oldText).join('x\ny'));
        },
      ),
    );
  });
});
