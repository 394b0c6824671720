/** A text that is being typed. */
export interface Editor {
  readonly text: string;
  /** Where the next character goes: an index into `text`, never inside a character. */
  readonly cursor: number;
  /** What was sent before, oldest first. */
  readonly history: readonly string[];
  /** Which of the history is shown; `null` for what is typed now. */
  readonly place: number | null;
  /** What was typed before one looked into the history. */
  readonly draft: string;
}

export type Edit = { readonly type: 'insert'; readonly text: string } | { readonly type: EditName };

type EditName =
  | 'backspace'
  | 'delete'
  | 'left'
  | 'right'
  | 'word-left'
  | 'word-right'
  | 'home'
  | 'end'
  | 'delete-word'
  | 'delete-to-start'
  | 'delete-to-end'
  | 'older'
  | 'newer'
  | 'clear';

const graphemes = new Intl.Segmenter();

export const emptyEditor: Editor = { text: '', cursor: 0, history: [], place: null, draft: '' };

/** The editor after an edit. Pure. */
export function edit(editor: Editor, change: Edit): Editor {
  if (change.type !== 'insert') return edits[change.type](editor);
  return replaced(editor, editor.cursor, editor.cursor, typed(change.text));
}

/** The editor after its text was sent. */
export function sent(editor: Editor): Editor {
  const { text, history } = editor;
  const isNew = text.trim() !== '' && history.at(-1) !== text;
  return { ...emptyEditor, history: isNew ? [...history, text] : history };
}

const edits: { readonly [Name in EditName]: (editor: Editor) => Editor } = {
  backspace: (editor) => replaced(editor, before(editor), editor.cursor, ''),
  delete: (editor) => replaced(editor, editor.cursor, after(editor), ''),
  left: (editor) => ({ ...editor, cursor: before(editor) }),
  right: (editor) => ({ ...editor, cursor: after(editor) }),
  'word-left': (editor) => ({ ...editor, cursor: wordStart(editor) }),
  'word-right': (editor) => ({ ...editor, cursor: wordEnd(editor) }),
  home: (editor) => ({ ...editor, cursor: lineStart(editor) }),
  end: (editor) => ({ ...editor, cursor: lineEnd(editor) }),
  'delete-word': (editor) => replaced(editor, wordStart(editor), editor.cursor, ''),
  'delete-to-start': (editor) => replaced(editor, lineStart(editor), editor.cursor, ''),
  'delete-to-end': (editor) => replaced(editor, editor.cursor, lineEnd(editor), ''),
  older: (editor) => movedUp(editor) ?? shown(editor, (editor.place ?? editor.history.length) - 1),
  newer: (editor) => movedDown(editor) ?? (editor.place === null ? editor : shown(editor, editor.place + 1)),
  clear: (editor) => ({ ...emptyEditor, history: editor.history }),
};

/** Line ends as one character, tabs as spaces, and nothing that a terminal obeys. */
function typed(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/\r\n?/g, '\n')
      .replaceAll('\t', '  ')
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, '')
  );
}

function replaced(editor: Editor, start: number, end: number, text: string): Editor {
  return {
    ...editor,
    text: editor.text.slice(0, start) + text + editor.text.slice(end),
    cursor: start + text.length,
    place: null,
  };
}

/** Start of the character before the cursor. A character is never longer than the stretch that is looked at. */
function before({ text, cursor }: Editor): number {
  if (cursor === 0) return 0;
  const start = Math.max(0, cursor - 64);
  const last = [...graphemes.segment(text.slice(start, cursor))].at(-1);
  return start + (last?.index ?? 0);
}

function after({ text, cursor }: Editor): number {
  const [first] = graphemes.segment(text.slice(cursor, cursor + 64));
  return cursor + (first?.segment.length ?? 0);
}

function wordStart({ text, cursor }: Editor): number {
  const stretch = text.slice(0, cursor).trimEnd();
  return Math.max(stretch.lastIndexOf(' '), stretch.lastIndexOf('\n')) + 1;
}

function wordEnd({ text, cursor }: Editor): number {
  return cursor + (/^\s*\S*/.exec(text.slice(cursor, cursor + 1_000))?.[0].length ?? 0);
}

function lineStart({ text, cursor }: Editor): number {
  return text.lastIndexOf('\n', cursor - 1) + 1;
}

function lineEnd({ text, cursor }: Editor): number {
  const end = text.indexOf('\n', cursor);
  return end === -1 ? text.length : end;
}

/** To the line above, in a text of several lines; `undefined` on the first. */
function movedUp(editor: Editor): Editor | undefined {
  const start = lineStart(editor);
  if (start === 0) return undefined;
  const above = lineStart({ ...editor, cursor: start - 1 });
  return placed(editor, Math.min(above + editor.cursor - start, start - 1));
}

function movedDown(editor: Editor): Editor | undefined {
  const end = lineEnd(editor);
  if (end === editor.text.length) return undefined;
  const column = editor.cursor - lineStart(editor);
  return placed(editor, Math.min(end + 1 + column, lineEnd({ ...editor, cursor: end + 1 })));
}

/** The cursor at an index, or before the character that the index lies in. */
function placed(editor: Editor, index: number): Editor {
  const start = lineStart({ ...editor, cursor: index });
  const inside = graphemes.segment(editor.text.slice(start, index + 64)).containing(index - start);
  return { ...editor, cursor: start + (inside?.index ?? index - start) };
}

function shown(editor: Editor, place: number): Editor {
  const { history, text } = editor;
  if (place < 0 || place > history.length) return editor;
  const draft = editor.place === null ? text : editor.draft;
  const isDraft = place === history.length;
  const next = isDraft ? draft : (history[place] ?? '');
  return { ...editor, text: next, cursor: next.length, draft, place: isDraft ? null : place };
}
