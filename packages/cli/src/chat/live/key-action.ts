import type { Edit } from './line-editor.ts';
import type { Key, KeyName } from '../../terminal/keys.ts';

export type KeyAction =
  | { readonly type: 'edit'; readonly edit: Edit }
  | {
      readonly type:
        | 'enter'
        | 'stop'
        | 'interrupt'
        | 'end-of-input'
        | 'complete'
        | 'suspend'
        | 'redraw'
        | 'none';
    };

type EditName = Exclude<Edit['type'], 'insert' | 'paste'>;

const edits: Readonly<Record<string, EditName>> = {
  'ctrl a': 'home',
  'ctrl e': 'end',
  'ctrl b': 'left',
  'ctrl f': 'right',
  'ctrl p': 'older',
  'ctrl n': 'newer',
  'ctrl h': 'backspace',
  'ctrl w': 'delete-word',
  'ctrl u': 'delete-to-start',
  'ctrl k': 'delete-to-end',
  'ctrl y': 'yank',
  'ctrl t': 'transpose',
  'alt b': 'word-left',
  'alt f': 'word-right',
  'alt d': 'delete-word-right',
};

const actions: Readonly<Record<string, KeyAction>> = {
  'ctrl c': { type: 'interrupt' },
  'ctrl d': { type: 'end-of-input' },
  'ctrl l': { type: 'redraw' },
  'ctrl z': { type: 'suspend' },
};

const none: KeyAction = { type: 'none' };

type Named = Exclude<KeyName, 'unknown'>;
/** `isWide`: Ctrl or Alt is held, which takes a word where there is one. */
const named: { readonly [Name in Named]: (isWide: boolean, key: Key) => KeyAction } = {
  up: () => editing('older'),
  down: () => editing('newer'),
  left: (isWide) => editing(isWide ? 'word-left' : 'left'),
  right: (isWide) => editing(isWide ? 'word-right' : 'right'),
  home: () => editing('home'),
  end: () => editing('end'),
  insert: () => none,
  delete: (isWide) => editing(isWide ? 'delete-word-right' : 'delete'),
  'page-up': () => none,
  'page-down': () => none,
  enter: (isWide, { hasShift }) =>
    isWide || hasShift ? { type: 'edit', edit: { type: 'insert', text: '\n' } } : { type: 'enter' },
  tab: (isWide, { hasShift }) => (isWide || hasShift ? none : { type: 'complete' }),
  backspace: (isWide) => editing(isWide ? 'delete-word-left' : 'backspace'),
  escape: () => ({ type: 'stop' }),
};

/** What a key asks for. */
export function keyAction(key: Key): KeyAction {
  const { name, character, hasCtrl, hasAlt } = key;
  if (name === 'unknown') return none;
  if (name !== 'character') return named[name](hasCtrl || hasAlt, key);
  // Two of them at once are a shortcut of somebody else's.
  const chord = hasCtrl && hasAlt ? '' : `${hasCtrl ? 'ctrl' : 'alt'} ${character}`;
  if (Object.hasOwn(actions, chord)) return actions[chord] ?? none;
  const change = Object.hasOwn(edits, chord) ? edits[chord] : undefined;
  return change === undefined ? none : editing(change);
}

function editing(name: EditName): KeyAction {
  return { type: 'edit', edit: { type: name } };
}
