type State = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'done';

/**
 * Where a text stops being JSON: the position of the first character that cannot stand there, the length of the text
 * when it ends too early, −1 when it is one whole JSON value. `JSON.parse` mostly does not say.
 */
export function jsonErrorAt(text: string): number {
  const open: ('{' | '[')[] = [];
  let state: State = 'value';
  let at = skipSpace(text, 0);
  while (at < text.length) {
    const character = text[at] ?? '';
    const step = stepAt(text, at, { state, character, inside: open.at(-1) });
    if (step === undefined) return at;
    if (step.end < 0) return -step.end - 1;
    if (step.opens) open.push(step.opens);
    if (step.closes) open.pop();
    state = step.next ?? (open.length === 0 ? 'done' : 'comma-or-end');
    at = skipSpace(text, step.end);
  }
  return state === 'done' ? -1 : text.length;
}

interface Here {
  readonly state: State;
  readonly character: string;
  readonly inside: '{' | '[' | undefined;
}

interface Step {
  /** End of what was read; when it is broken, minus its position minus 1. */
  readonly end: number;
  /** What must follow; by default what follows a whole value. */
  readonly next?: State;
  readonly opens?: '{' | '[';
  readonly closes?: true;
}

function stepAt(text: string, at: number, { state, character, inside }: Here): Step | undefined {
  if (closings[state].includes(character) && character === (inside === '{' ? '}' : ']')) {
    return { end: at + 1, closes: true };
  }
  switch (state) {
    case 'value':
    case 'value-or-end':
      return valueAt(text, at, character);
    case 'key':
    case 'key-or-end':
      return character === '"' ? { end: stringEnd(text, at), next: 'colon' } : undefined;
    case 'colon':
      return character === ':' ? { end: at + 1, next: 'value' } : undefined;
    case 'comma-or-end':
      return character === ',' ? { end: at + 1, next: inside === '{' ? 'key' : 'value' } : undefined;
    case 'done':
      return undefined;
  }
}

/** The closing brackets that may stand in each state. */
const closings: Readonly<Record<State, readonly string[]>> = {
  value: [],
  'value-or-end': [']'],
  key: [],
  'key-or-end': ['}'],
  colon: [],
  'comma-or-end': [']', '}'],
  done: [],
};

function valueAt(text: string, at: number, character: string): Step | undefined {
  if (character === '{') return { end: at + 1, next: 'key-or-end', opens: '{' };
  if (character === '[') return { end: at + 1, next: 'value-or-end', opens: '[' };
  if (character === '"') return { end: stringEnd(text, at) };
  scalar.lastIndex = at;
  const found = scalar.exec(text);
  return found ? { end: at + found[0].length } : undefined;
}

const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escapes = '"\\/bfnrtu';

/** End of the string that opens at `from`; −position − 1 of what breaks it. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return -at - 1;
    if (code !== 0x5c) continue;
    at += 1;
    if (at < text.length && !escapes.includes(text[at] ?? '')) return -at - 1;
  }
  return -text.length - 1;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (' \n\r\t'.includes(text[at] ?? 'x')) at += 1;
  return at;
}
