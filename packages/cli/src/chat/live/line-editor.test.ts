import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { edit, emptyEditor, plainText, sent, shownText } from './line-editor.ts';
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
  'transpose',
  'yank',
  'delete-word',
  'delete-word-left',
  'delete-word-right',
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
    expect(after({ insert: 'a\r\nb\tc\u001b[31m\u0007' }).text).toBe('a\nb\tc[31m');
  });

  it('never leaves its text, whatever is done', () => {
    const change = fc.oneof(
      fc.constantFrom(...names).map((type): Edit => ({ type })),
      fc.string({ unit: 'grapheme', maxLength: 8 }).map((text): Edit => ({ type: 'insert', text })),
      fc.constant<Edit>({ type: 'insert', text: 'a\nbc' }),
      fc.constant<Edit>({ type: 'paste', text: 'a\n'.repeat(20) }),
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

describe('what a shell knows', () => {
  it('puts back what was deleted last, all of it where nothing else was done between', () => {
    expect(seen(after({ insert: 'one two three' }, 'delete-word', 'delete-word', 'home', 'yank'))).toBe(
      'two three|one ',
    );
    expect(
      seen(after({ insert: 'one two' }, 'home', 'delete-word-right', 'delete-to-end', 'yank', 'yank')),
    ).toBe('one twoone two|');
    expect(seen(after({ insert: 'a b' }, 'delete-word', 'left', 'delete-word', 'yank'))).toBe('a| ');
  });

  it('takes words of letters and digits with Alt, and up to blanks with Ctrl-W', () => {
    expect(seen(after({ insert: 'cat src/main.ts' }, 'delete-word-left'))).toBe('cat src/main.|');
    expect(seen(after({ insert: 'cat src/main.ts' }, 'delete-word'))).toBe('cat |');
    expect(seen(after({ insert: 'größe der Kiste' }, 'word-left', 'word-left', 'word-left'))).toBe(
      '|größe der Kiste',
    );
  });

  it('changes places of two characters', () => {
    expect(seen(after({ insert: 'teh' }, 'transpose'))).toBe('the|');
    expect(seen(after({ insert: 'ab👩‍💻' }, 'transpose'))).toBe('a👩‍💻b|');
    expect(seen(after({ insert: 'a' }, 'transpose'))).toBe('a|');
  });
});

describe('a large paste', () => {
  const lines = Array.from({ length: 120 }, (_, index) => `line ${index}\tof many, many words`).join('\n');
  const paste = (editor: Editor, text: string): Editor => edit(editor, { type: 'paste', text });
  const shown = (editor: Editor): string => {
    const { text, cursor } = shownText(editor);
    return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
  };

  it('is shown by its size, and is there whole', () => {
    const editor = edit(paste(after({ insert: 'look: ' }), lines), { type: 'insert', text: ' ok?' });
    expect(shown(editor)).toBe('look: [pasted 120 lines, 3.4 kB] ok?|');
    expect(plainText(editor)).toBe(`look: ${lines} ok?`);
  });

  it('is one character to every key', () => {
    const editor = edit(paste(after({ insert: 'a' }), lines), { type: 'insert', text: 'b' });
    const back = edit(edit(editor, { type: 'left' }), { type: 'backspace' });
    expect([shown(back), plainText(back)]).toEqual(['a|b', 'ab']);
    expect(shown(edit(edit(editor, { type: 'left' }), { type: 'left' }))).toBe(
      'a|[pasted 120 lines, 3.4 kB]b',
    );
    const twice = edit(edit(edit(editor, { type: 'delete-word' }), { type: 'yank' }), { type: 'yank' });
    expect(plainText(twice)).toBe(`a${lines}b`.repeat(2));
  });

  it('comes back with what was sent before', () => {
    const again = edit(sent(paste(emptyEditor, lines)), { type: 'older' });
    expect([shown(again), plainText(again)]).toEqual(['[pasted 120 lines, 3.4 kB]|', lines]);
  });

  it('of one long line is one, too; a short one is text', () => {
    expect(shown(paste(emptyEditor, 'x'.repeat(2_500_000)))).toBe('[pasted 1 line, 2.5 MB]|');
    expect(shown(paste(emptyEditor, 'one\r\n\ttwo\r\n'))).toBe('one\n  two\n|');
    expect(plainText(paste(emptyEditor, 'one\r\n\ttwo\r\n'))).toBe('one\n\ttwo\n');
  });

  it('cannot be made up by what is typed', () => {
    expect(plainText(edit(paste(emptyEditor, lines), { type: 'insert', text: '\ufdd0\u{e0100}' }))).toBe(
      `${lines}\u{e0100}`,
    );
  });

  it('may come as often as anybody likes', () => {
    const many = Array.from({ length: 500 }, (_, index) => `${index} ${'x'.repeat(900)}`);
    expect(plainText(many.reduce(paste, emptyEditor))).toBe(many.join(''));
  });
});
