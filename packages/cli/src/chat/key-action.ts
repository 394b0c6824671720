import type { Edit } from './line-editor.ts';

/** A key as the terminal library tells it. */
export interface PressedKey {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly leftArrow: boolean;
  readonly rightArrow: boolean;
  readonly home: boolean;
  readonly end: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly ctrl: boolean;
  readonly meta: boolean;
  readonly tab: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
}

export type KeyAction =
  | { readonly type: 'edit'; readonly edit: Edit }
  /** `text` came in one piece with the key. */
  | { readonly type: 'enter'; readonly text: string }
  | { readonly type: 'stop' | 'interrupt' | 'end-of-input' | 'complete' | 'none' };

type EditName = Exclude<Edit['type'], 'insert'>;

const controls: Readonly<Record<string, EditName>> = {
  a: 'home',
  e: 'end',
  b: 'left',
  f: 'right',
  p: 'older',
  n: 'newer',
  h: 'backspace',
  w: 'delete-word',
  u: 'delete-to-start',
  k: 'delete-to-end',
};

const metas: Readonly<Record<string, EditName>> = { b: 'word-left', f: 'word-right', d: 'delete-to-end' };

/** What a key asks for. */
export function keyAction(input: string, key: PressedKey): KeyAction {
  if (key.escape) return { type: 'stop' };
  if (key.return) return key.meta ? inserted('\n') : { type: 'enter', text: '' };
  // What was typed before the terminal told keys apart comes with the end of a line.
  if (input === '\n') return { type: 'enter', text: '' };
  if (key.tab) return { type: 'complete' };
  if (key.ctrl && input === 'c') return { type: 'interrupt' };
  if (key.ctrl && input === 'd') return { type: 'end-of-input' };
  const name = editName(input, key);
  if (name !== undefined) return { type: 'edit', edit: { type: name } };
  if (input === '' || key.ctrl || (key.meta && input.length > 1)) return { type: 'none' };
  // A terminal that does not mark what is pasted, or a slow line: the end of the line came with the text.
  if (input.length > 1 && /[\r\n]$/.test(input)) return { type: 'enter', text: input.slice(0, -1) };
  return inserted(input);
}

function inserted(text: string): KeyAction {
  return { type: 'edit', edit: { type: 'insert', text } };
}

function editName(input: string, key: PressedKey): EditName | undefined {
  const isWide = key.ctrl || key.meta;
  if (key.leftArrow) return isWide ? 'word-left' : 'left';
  if (key.rightArrow) return isWide ? 'word-right' : 'right';
  if (key.upArrow) return 'older';
  if (key.downArrow) return 'newer';
  if (key.home) return 'home';
  if (key.end) return 'end';
  if (key.backspace) return key.meta ? 'delete-word' : 'backspace';
  if (key.delete) return 'delete';
  if (key.ctrl) return Object.hasOwn(controls, input) ? controls[input] : undefined;
  return key.meta && Object.hasOwn(metas, input) ? metas[input] : undefined;
}
