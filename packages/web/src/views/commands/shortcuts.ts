/** What is done by keys from everywhere on the page; the rest of the table is done where it says. */
export type ShortcutId = 'palette' | 'shortcuts' | 'new-session' | 'to-input' | 'stop' | 'rename';

interface Shortcut {
  /** Where it is done here, from everywhere; others belong to a place, and are told only. */
  readonly id?: ShortcutId;
  /** Each way to press it: `mod` is Command on a Mac and Control elsewhere; names of keys are those of the browser. */
  readonly keys: readonly string[];
  readonly does: string;
  readonly where: 'Everywhere' | 'Message' | 'Conversation' | 'Messages that wait';
}

/** All keys of the page. */
export const shortcuts: readonly Shortcut[] = [
  {
    id: 'palette',
    keys: ['mod+k'],
    does: 'Find a session, a text or something to do',
    where: 'Everywhere',
  },
  { id: 'new-session', keys: ['mod+shift+o'], does: 'Begin a new session', where: 'Everywhere' },
  { id: 'to-input', keys: ['shift+Escape'], does: 'Go to the message', where: 'Everywhere' },
  { id: 'stop', keys: ['mod+.'], does: 'Stop the agent; what it wrote stays', where: 'Everywhere' },
  { id: 'rename', keys: ['F2'], does: 'Rename the session', where: 'Everywhere' },
  { id: 'shortcuts', keys: ['?', 'mod+/'], does: 'Show these keys', where: 'Everywhere' },
  { keys: ['Enter'], does: 'Send it; while the agent works it waits', where: 'Message' },
  { keys: ['shift+Enter'], does: 'Begin a new line', where: 'Message' },
  { keys: ['ArrowUp'], does: 'Take your last message again, where nothing is written', where: 'Message' },
  { keys: ['Escape'], does: 'Twice within a second: stop the agent', where: 'Message' },
  { keys: ['/'], does: 'Do something: compact, undo, fork …', where: 'Message' },
  { keys: ['mod+v'], does: 'Attach the copied image or file', where: 'Message' },
  { keys: ['j'], does: 'To the next message', where: 'Conversation' },
  { keys: ['k'], does: 'To the message before', where: 'Conversation' },
  { keys: ['Enter'], does: 'Send a message of yours in other words', where: 'Conversation' },
  { keys: ['Escape'], does: 'Leave the message as it was', where: 'Conversation' },
  { keys: ['mod+Enter'], does: 'Save the message that is edited', where: 'Messages that wait' },
  { keys: ['Escape'], does: 'Leave it as it was', where: 'Messages that wait' },
];

/** Its keyboard has a Command key. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** What a key event tells; all of it is in the browser's own. */
export interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

export interface PressedWhere {
  readonly isMac: boolean;
  /** The user writes: a key without Control is a letter. */
  readonly isWriting: boolean;
  /** The user wants keys that are a single character. */
  readonly allowsSingleKeys: boolean;
}

/** Which shortcut of the whole page a press is, if it is one. */
export function shortcutOf(pressed: PressedKey, where: PressedWhere): ShortcutId | undefined {
  for (const { id, keys } of shortcuts)
    if (id !== undefined && keys.some((combination) => isPressed(combination, pressed, where))) return id;
  return undefined;
}

function isPressed(combination: string, pressed: PressedKey, where: PressedWhere): boolean {
  const names = combination.split('+');
  const key = names.at(-1) ?? '';
  const hasMod = where.isMac ? pressed.metaKey : pressed.ctrlKey;
  const hasOther = pressed.altKey || (where.isMac ? pressed.ctrlKey : pressed.metaKey);
  if (hasOther || hasMod !== names.includes('mod')) return false;
  if (pressed.key.toLowerCase() !== key.toLowerCase()) return false;
  // A character says itself whether Shift was needed for it, and on some keyboards it was.
  const isCharacter = key.length === 1 && key.toLowerCase() === key.toUpperCase();
  if (!isCharacter && pressed.shiftKey !== names.includes('shift')) return false;
  const isSingle = names.length === 1 && key.length === 1;
  return !isSingle || (where.allowsSingleKeys && !where.isWriting);
}

const keyNames: Readonly<Record<string, string>> = {
  shift: 'Shift',
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
};

/** The keys of a combination, as they are written on a keyboard. */
export function keyLabels(combination: string, isMac: boolean): readonly string[] {
  return combination.split('+').map((name) => {
    if (name === 'mod') return isMac ? '⌘' : 'Ctrl';
    return keyNames[name] ?? (name.length === 1 ? name.toUpperCase() : name);
  });
}

/** The first way to press a shortcut, in words. */
export function shortcutLabel(id: ShortcutId, isMac: boolean): string {
  const [first = ''] = shortcuts.find((one) => one.id === id)?.keys ?? [];
  return keyLabels(first, isMac).join(' ');
}
