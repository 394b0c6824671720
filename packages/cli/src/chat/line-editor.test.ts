import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { edit, emptyEditor, sent } from './line-editor.ts';
import type { Edit, Editor } from './line-editor.ts';

const names = [
  'backspace',
  'delete',
  'left',
  'right',
  'word-left',
  'word-right',
  'home',
  'end',
  'delete-word',
  'delete-to-start',
  'delete-to-end',
  'older',
  'newer',
  'clear',
] as const;

function after(...edits: readonly (Edit['type'] | { readonly insert: string })[]): Editor {
  return edits.reduce<Editor>(
    (editor, one) =>
      edit(editor, typeof one === 'object' ? { type: 'insert', text: one.insert } : { type: one as 'left' }),
    emptyEditor,
  );
}

/** The text with a bar where the cursor is. */
const seen = ({ text, cursor }: Editor): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

describe('the line editor', () => {
  it('takes whole characters, whatever they are made of', () => {
    expect(seen(after({ insert: 'a👩‍💻b' }, 'left', 'backspace'))).toBe('a|b');
    expect(seen(after({ insert: '日本語' }, 'home', 'right', 'delete'))).toBe('日|語');
  });

  it('moves and deletes by words and lines', () => {
    expect(seen(after({ insert: 'one two  three' }, 'word-left', 'word-left'))).toBe('one |two  three');
    expect(seen(after({ insert: 'one two ' }, 'delete-word'))).toBe('one |');
    expect(seen(after({ insert: 'ab\ncd' }, 'left', 'delete-to-start'))).toBe('ab\n|d');
    expect(seen(after({ insert: 'ab\ncd' }, 'home', 'delete-to-end'))).toBe('ab\n|');
    expect(seen(after({ insert: 'one two' }, 'home', 'word-right', 'word-right'))).toBe('one two|');
  });

  it('moves between the lines of a text, and beyond them through what was sent', () => {
    const history = sent({ ...emptyEditor, text: 'first' });
    const typed = edit(history, { type: 'insert', text: 'ab\ncde' });
    const up = edit(typed, { type: 'older' });
    expect(seen(up)).toBe('ab|\ncde');
    expect(seen(edit(up, { type: 'older' }))).toBe('first|');
    expect(seen(edit(edit(up, { type: 'older' }), { type: 'newer' }))).toBe('ab\ncde|');
  });

  it('remembers what was sent, the same twice once', () => {
    const once = sent({ ...emptyEditor, text: 'go on' });
    expect(sent({ ...once, text: 'go on' })).toEqual({ ...emptyEditor, history: ['go on'] });
    expect(sent({ ...emptyEditor, text: '  ' }).history).toEqual([]);
  });

  it('takes no control characters from what is pasted', () => {
    expect(after({ insert: 'a\r\nb\tc\u001b[31m\u0007' }).text).toBe('a\nb  c[31m');
  });

  it('never leaves its text, whatever is done', () => {
    const change = fc.oneof(
      fc.constantFrom(...names).map((type): Edit => ({ type })),
      fc.string({ unit: 'grapheme', maxLength: 8 }).map((text): Edit => ({ type: 'insert', text })),
      fc.constant<Edit>({ type: 'insert', text: 'a\nbc' }),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const end = changes.reduce(edit, sent({ ...emptyEditor, text: 'before' }));
        expect(end.cursor).toBeGreaterThanOrEqual(0);
        expect(end.cursor).toBeLessThanOrEqual(end.text.length);
        expect(end.text.isWellFormed()).toBe(true);
        expect(end.text.slice(0, end.cursor).isWellFormed()).toBe(true);
      }),
    );
  });
});
