/** A key that is no plain text. */
export interface Key {
  readonly name: KeyName | 'character';
  /** The character that was pressed with Ctrl or Alt, in lower case; empty for all other keys. */
  readonly character: string;
  readonly hasCtrl: boolean;
  readonly hasAlt: boolean;
  readonly hasShift: boolean;
}

/** `unknown` is a key or an answer of the terminal that nobody here has a use for: it is never text. */
export type KeyName =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'insert'
  | 'delete'
  | 'page-up'
  | 'page-down'
  | 'enter'
  | 'tab'
  | 'backspace'
  | 'escape'
  | 'unknown';

/** What comes from the keyboard, in its order. */
export type TerminalInput =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'key'; readonly key: Key }
  /** All at once, and never a command to do something: its line ends are line ends. */
  | { readonly type: 'paste'; readonly text: string };

type Held = Partial<Pick<Key, 'hasCtrl' | 'hasAlt' | 'hasShift'>>;

export function keyNamed(name: KeyName, held: Held = {}): TerminalInput {
  return { type: 'key', key: { ...bare, name, ...held } };
}

export function keyOf(character: string, held: Held): TerminalInput {
  return {
    type: 'key',
    key: { ...bare, name: 'character', ...held, character: character.toLowerCase() },
  };
}

const bare: Key = { name: 'unknown', character: '', hasCtrl: false, hasAlt: false, hasShift: false };

/** What one character below the space, or the one that deletes, stands for. */
export function controlKey(character: string, held: Held = {}): TerminalInput {
  const name = controlNames[character];
  if (name !== undefined) return keyNamed(name, held);
  const code = character.charCodeAt(0);
  return keyOf(String.fromCharCode(code + (code >= 1 && code <= 26 ? 96 : 64)), { ...held, hasCtrl: true });
}

const controlNames: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  // Typed before the terminal told keys apart, an end of line comes like this.
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007f': 'backspace',
  '\u001b': 'escape',
};

/** The key of a complete control sequence (CSI or SS3), without its `ESC [` or `ESC O`. */
export function sequenceKey(kind: '[' | 'O', body: string, held: Held = {}): TerminalInput {
  // xterm's modifyOtherKeys: 27 ; modifiers ; code ~
  const other = /^27;(\d+);(\d+)~$/.exec(body);
  if (other) return codeKey(Number(other[2]), { ...held, ...heldIn(other[1]) });
  const coded = /^(\d+)(?::[\d:]*)?(?:;(\d+)(?::(\d+))?)?(?:;[\d:]*)?u$/.exec(body);
  // Of keys that tell when they are let go, that.
  if (coded?.[3] === '3') return keyNamed('unknown');
  if (coded) return codeKey(Number(coded[1]), { ...held, ...heldIn(coded[2]) });
  const numbered = /^(\d+)(?:;(\d+))?([~^$@])$/.exec(body);
  if (numbered)
    return keyNamed(numberNames[numbered[1] ?? ''] ?? 'unknown', { ...held, ...heldByNumber(numbered) });
  const lettered = /^(?:1?;?(\d+))?([A-Za-z])$/.exec(body);
  const [, modifiers, letter = ''] = lettered ?? [];
  // rxvt: small letters are the arrows with Shift, or with Ctrl.
  if (/^[a-d]$/.test(letter)) {
    const rxvt = kind === '[' ? { hasShift: true } : { hasCtrl: true };
    return keyNamed(letterNames[letter.toUpperCase()] ?? 'unknown', { ...held, ...rxvt });
  }
  if (kind === 'O' && letter === 'M') return keyNamed('enter', held);
  if (kind === '[' && letter === 'Z') return keyNamed('tab', { ...held, hasShift: true });
  return keyNamed(letterNames[letter] ?? 'unknown', { ...held, ...heldIn(modifiers) });
}

const letterNames: Readonly<Record<string, KeyName>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
};

const numberNames: Readonly<Record<string, KeyName>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'page-up',
  6: 'page-down',
  7: 'home',
  8: 'end',
};

/** The number of modifiers less one is a set of bits; 9 and up also has keys that nobody here tells from Alt. */
function heldIn(modifiers = '1'): Held {
  const bits = Math.max(0, Number(modifiers) - 1);
  return {
    ...((bits & 1) !== 0 && { hasShift: true }),
    ...((bits & 0b101010) !== 0 && { hasAlt: true }),
    ...((bits & 4) !== 0 && { hasCtrl: true }),
  };
}

function heldByNumber([, , modifiers, end]: RegExpExecArray): Held {
  if (end === '^') return { hasCtrl: true };
  if (end === '$') return { hasShift: true };
  return end === '@' ? { hasCtrl: true, hasShift: true } : heldIn(modifiers);
}

/** A key as its code point, as terminals tell it that are asked to, or that tmux asks. */
function codeKey(code: number, held: Held): TerminalInput {
  if (!Number.isInteger(code) || code > 0x10ffff || (code >= 57_344 && code <= 63_743))
    return keyNamed(code === 57_414 ? 'enter' : 'unknown', held);
  const character = String.fromCodePoint(code);
  if (Object.hasOwn(controlNames, character)) return keyNamed(controlNames[character] ?? 'unknown', held);
  if (code < 32) return controlKey(character, held);
  if (held.hasCtrl === true || held.hasAlt === true) return keyOf(character, held);
  return { type: 'text', text: held.hasShift === true ? character.toUpperCase() : character };
}
