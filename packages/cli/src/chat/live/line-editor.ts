import { countOf } from '../../terminal/numbers.ts';

/** A text that is being typed. */
export interface Editor {
  /** A large paste stands in it as one character; {@link plainText} is what was typed and pasted. */
  readonly text: string;
  /** Where the next character goes: an index into `text`, never inside a character. */
  readonly cursor: number;
  /** What was sent before, oldest first. */
  readonly history: readonly string[];
  /** Which of the history is shown; `null` for what is typed now. */
  readonly place: number | null;
  /** What was typed before one looked into the history. */
  readonly draft: string;
  /** The large pastes, by the characters that stand for them. */
  readonly pastes: readonly string[];
  /** What was deleted last by words or lines. */
  readonly killed: string;
  /** The last edit deleted such a text, too: the next one is put to it. */
  readonly isKilling: boolean;
}

export type Edit =
  | { readonly type: 'insert' | 'paste'; readonly text: string }
  | { readonly type: OtherName }
  | { readonly type: KillName };

type OtherName =
  | 'backspace'
  | 'delete'
  | 'left'
  | 'right'
  | 'word-left'
  | 'word-right'
  | 'home'
  | 'end'
  | 'transpose'
  | 'yank'
  | 'older'
  | 'newer'
  | 'clear';

type KillName =
  | 'delete-word'
  | 'delete-word-left'
  | 'delete-word-right'
  | 'delete-to-start'
  | 'delete-to-end';

const graphemes = new Intl.Segmenter();

export const emptyEditor: Editor = {
  text: '',
  cursor: 0,
  history: [],
  place: null,
  draft: '',
  pastes: [],
  killed: '',
  isKilling: false,
};

/** The editor after an edit. Pure. */
export function edit(editor: Editor, change: Edit): Editor {
  if (isKill(change)) return killed(editor, kills[change.type](editor));
  const other = { ...editor, isKilling: false };
  if (change.type === 'insert') return inserted(other, typed(change.text));
  return change.type === 'paste' ? pasted(other, typed(change.text)) : edits[change.type](other);
}

function isKill(change: Edit): change is { readonly type: KillName } {
  return Object.hasOwn(kills, change.type);
}

/** More than this is shown as one short text in brackets. */
const pasteChars = 800;
const pasteLines = 8;

/** Characters that Unicode keeps out of every text, each with one of the marks that belong to the one before. */
const pasteMark = /[\ufdd0-\ufdef][\u{e0100}-\u{e01ef}]/gu;
const marksPerCharacter = 240;
const mostPastes = 32 * marksPerCharacter;

function pasted(editor: Editor, text: string): Editor {
  const { pastes } = editor;
  const isLarge = text.length > pasteChars || lineCount(text) > pasteLines;
  if (!isLarge || pastes.length === mostPastes) return inserted(editor, text);
  return inserted({ ...editor, pastes: [...pastes, text] }, markOf(pastes.length));
}

function markOf(index: number): string {
  return (
    String.fromCodePoint(0xfdd0 + Math.floor(index / marksPerCharacter)) +
    String.fromCodePoint(0xe0100 + (index % marksPerCharacter))
  );
}

function pasteOf({ pastes }: Editor, mark: string): string {
  const character = mark.charCodeAt(0) - 0xfdd0;
  return pastes[character * marksPerCharacter + ((mark.codePointAt(1) ?? 0) - 0xe0100)] ?? '';
}

/** All that was typed and pasted. */
export function plainText(editor: Editor): string {
  return editor.text.replace(pasteMark, (mark) => pasteOf(editor, mark));
}

/** The text as it is shown, and where the cursor is in it: large pastes by their size, tabs as spaces. */
export function shownText(editor: Editor): { readonly text: string; readonly cursor: number } {
  const show = (text: string): string =>
    text.replace(pasteMark, (mark) => sizeText(pasteOf(editor, mark))).replaceAll('\t', '  ');
  const before = show(editor.text.slice(0, editor.cursor));
  return { text: before + show(editor.text.slice(editor.cursor)), cursor: before.length };
}

function sizeText(text: string): string {
  const bytes = Buffer.byteLength(text);
  const [value, unit] = bytes < 999_950 ? [bytes / 1_000, 'kB'] : [bytes / 1_000_000, 'MB'];
  const size = bytes < 1_000 ? `${bytes} B` : `${value.toFixed(1).replace(/\.0$/, '')} ${unit}`;
  return `[pasted ${countOf(lineCount(text), 'line')}, ${size}]`;
}

/** The end of the last line begins no other. */
function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

/** The editor after its text was sent. */
export function sent(editor: Editor): Editor {
  const { text, history } = editor;
  const isNew = text.trim() !== '' && history.at(-1) !== text;
  return cleared({ ...editor, history: isNew ? [...history, text] : history });
}

/** What was sent, pasted and deleted before is still there. */
function cleared({ history, pastes, killed: text }: Editor): Editor {
  return { ...emptyEditor, history, pastes, killed: text };
}

const edits: { readonly [Name in OtherName]: (editor: Editor) => Editor } = {
  backspace: (editor) => replaced(editor, before(editor), editor.cursor, ''),
  delete: (editor) => replaced(editor, editor.cursor, after(editor), ''),
  left: (editor) => ({ ...editor, cursor: before(editor) }),
  right: (editor) => ({ ...editor, cursor: after(editor) }),
  'word-left': (editor) => ({ ...editor, cursor: wordStart(editor) }),
  'word-right': (editor) => ({ ...editor, cursor: wordEnd(editor) }),
  transpose: transposed,
  yank: (editor) => inserted(editor, editor.killed),
  home: (editor) => ({ ...editor, cursor: lineStart(editor) }),
  end: (editor) => ({ ...editor, cursor: lineEnd(editor) }),
  older: (editor) => movedUp(editor) ?? shown(editor, (editor.place ?? editor.history.length) - 1),
  newer: (editor) => movedDown(editor) ?? (editor.place === null ? editor : shown(editor, editor.place + 1)),
  clear: cleared,
};

/** What each of them deletes: from one index to another. */
const kills: { readonly [Name in KillName]: (editor: Editor) => readonly [number, number] } = {
  'delete-word': (editor) => [blankStart(editor), editor.cursor],
  'delete-word-left': (editor) => [wordStart(editor), editor.cursor],
  'delete-word-right': (editor) => [editor.cursor, wordEnd(editor)],
  'delete-to-start': (editor) => [lineStart(editor), editor.cursor],
  'delete-to-end': (editor) => {
    const end = lineEnd(editor);
    // At the end of a line what is left to delete is the end of it.
    return [editor.cursor, end === editor.cursor ? after(editor) : end];
  },
};

function killed(editor: Editor, [start, end]: readonly [number, number]): Editor {
  const text = editor.text.slice(start, end);
  if (text === '') return editor;
  const before = editor.isKilling ? editor.killed : '';
  const all = start < editor.cursor ? text + before : before + text;
  return { ...replaced(editor, start, end, ''), killed: all, isKilling: true };
}

/** Line ends as one character, and nothing that a terminal obeys or that stands for something here. */
function typed(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/\r\n?/g, '\n')
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufdd0-\ufdef]/g, '')
  );
}

function inserted(editor: Editor, text: string): Editor {
  return replaced(editor, editor.cursor, editor.cursor, text);
}

/** The characters on both sides of the cursor change places; at the end of a line the last two. */
function transposed(editor: Editor): Editor {
  const middle = editor.cursor === lineEnd(editor) ? before(editor) : editor.cursor;
  const start = before({ ...editor, cursor: middle });
  if (start < lineStart(editor) || start === middle) return editor;
  const end = after({ ...editor, cursor: middle });
  const { text } = editor;
  return replaced(editor, start, end, text.slice(middle, end) + text.slice(start, middle));
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

/** Back over blanks, then to the next of them. */
function blankStart({ text, cursor }: Editor): number {
  const stretch = text.slice(0, cursor).trimEnd();
  return Math.max(...[' ', '\t', '\n'].map((blank) => stretch.lastIndexOf(blank))) + 1;
}

/** A word is made of letters and digits, as in a shell; a large paste counts as one of them. */
const wordCharacter = /[\p{L}\p{N}\p{M}_\ufdd0-\ufdef]/u;

function wordStart(editor: Editor): number {
  return wordEdge(editor, before, (one, other) => editor.text.slice(other, one));
}

function wordEnd(editor: Editor): number {
  return wordEdge(editor, after, (one, other) => editor.text.slice(one, other));
}

/** Over what belongs to no word, then over the word. */
function wordEdge(
  editor: Editor,
  step: (editor: Editor) => number,
  between: (from: number, to: number) => string,
): number {
  let { cursor } = editor;
  for (const isInWord of [false, true]) {
    for (;;) {
      const next = step({ ...editor, cursor });
      if (next === cursor || wordCharacter.test(between(cursor, next)) !== isInWord) break;
      cursor = next;
    }
  }
  return cursor;
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
