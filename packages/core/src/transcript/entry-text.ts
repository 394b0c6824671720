import type { CallPart, Entry, Part, ResultPart } from './entry.ts';

/** Which kind of content a text of an entry is. `argument`: one string inside a call's input. */
export type TextSource = 'text' | 'reasoning' | 'argument' | 'result' | 'opaque';

export type TextVisitor = (text: string, source: TextSource, part: number) => void;

/** A string inside a JSON value, with the object key nearest to it (`''` at the root). */
export interface StringLeaf {
  readonly key: string;
  readonly text: string;
}

/** The visible text of a message: its text parts, joined by line feeds. Not reasoning, not results. */
export function entryText(entry: Entry): string {
  let joined = '';
  for (const part of entry.parts) {
    if (part.type !== 'text' || part.text === '') continue;
    joined = joined === '' ? part.text : `${joined}\n${part.text}`;
  }
  return joined;
}

/** The text of a result, its pieces joined by line feeds; data as JSON. Media are not in it. */
export function resultText(part: ResultPart): string {
  const [first] = part.pieces;
  if (part.pieces.length === 1 && first?.type === 'text') return first.text;
  const texts: string[] = [];
  for (const piece of part.pieces) {
    if (piece.type === 'text') texts.push(piece.text);
    else if (piece.type === 'opaque') texts.push(jsonText(piece.value));
  }
  return texts.join('\n');
}

// What colours a text in a terminal, moves its cursor or chooses its characters; the title of a window.
const terminalEscape =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /\u001B(?:\[[0-?]{0,100}[ -/]{0,5}[@-~]|\][^\u0007\u001B\n]{0,500}(?:\u0007|\u001B\\)|[()*+][0-9A-Za-z]|[=>78cDEHM])/g;

/** The text of a result as it reads: without what only colours it. One in five recorded sessions has such. */
export function plainResultText(part: ResultPart): string {
  return withoutEscapes(resultText(part));
}

/** A text without what only colours it in a terminal. Linear. */
export function withoutEscapes(text: string): string {
  return text.includes('\u001B') ? text.replace(terminalEscape, '') : text;
}

type ReadableTexts = { readonly [Type in Part['type']]: (part: Extract<Part, { type: Type }>) => string };

const readableTexts: ReadableTexts = {
  text: ({ text }) => text,
  reasoning: ({ text }) => text,
  call: (part) => `${part.name} ${callInputText(part)}`,
  result: resultText,
  media: ({ mediaType, filename }) => `[${mediaType}${filename === undefined ? '' : ` ${filename}`}]`,
  opaque: () => '[data of the provider]',
};

/** A part in readable form: what `recall` gives of it. */
export function partText<Type extends Part['type']>(part: Extract<Part, { type: Type }>): string {
  const row: (part: Extract<Part, { type: Type }>) => string = readableTexts[part.type];
  return row(part);
}

/** The input of a call as a JSON value. Text that does not parse is returned as the text it is. */
export function callInputValue(call: CallPart): unknown {
  return call.input.type === 'value' ? call.input.value : parseText(call.input.text);
}

/** The value that a JSON text says; of any other text the text itself. */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The input of a call as one text: JSON as it was sent, or written now. Never throws. */
export function callInputText(call: CallPart): string {
  if (call.input.type === 'text') return call.input.text;
  return jsonText(call.input.value);
}

/**
 * A value as JSON text; the empty text where it has none (cycles, depths that JSON cannot write). Of very many values an
 * object that lies at several places stands at the first of them. Never throws.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(isVast(value) ? withoutRepeats(value, new Map()) : value) ?? '';
  } catch {
    return '';
  }
}

const vastCount = 100_000;

/**
 * Whether a value has very many to write. In memory they need not be many: objects that hold the same one twice each come
 * to 2^60 values 60 levels down.
 */
export function isVast(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const open: unknown[] = [value];
  for (let count = 0; open.length > 0; count += 1) {
    if (count === vastCount) return true;
    const next = open.pop();
    if (typeof next === 'object' && next !== null) for (const item of Object.values(next)) open.push(item);
  }
  return false;
}

/** `met`: whether an object is still being copied, by those that were met. */
function withoutRepeats(value: unknown, met: Map<object, boolean>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const isOpen = met.get(value);
  if (isOpen === true) throw new TypeError('cycle');
  if (isOpen === false) return null;
  met.set(value, true);
  const copy: unknown = Array.isArray(value)
    ? value.map((item: unknown) => withoutRepeats(item, met))
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutRepeats(item, met)]));
  met.set(value, false);
  return copy;
}

/**
 * All strings inside a value, in reading order. Keeps its own stack, so depth cannot overflow it, and visits each
 * object once, so cycles end.
 */
export function stringLeaves(value: unknown): StringLeaf[] {
  const leaves: StringLeaf[] = [];
  const seen = new Set<object>();
  const stack: { readonly key: string; readonly value: unknown }[] = [{ key: '', value }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const current = next.value;
    if (typeof current === 'string') leaves.push({ key: next.key, text: current });
    if (typeof current !== 'object' || current === null || seen.has(current)) continue;
    seen.add(current);
    const children: readonly unknown[] = Array.isArray(current) ? current : Object.values(current);
    const keys = Array.isArray(current) ? undefined : Object.keys(current);
    for (let index = children.length - 1; index >= 0; index--)
      stack.push({ key: keys?.[index] ?? next.key, value: children[index] });
  }
  return leaves;
}

/** Every text of a message, in order. */
export function entryTexts(entry: Entry): string[] {
  const texts: string[] = [];
  visitTexts(entry, (text) => texts.push(text));
  return texts;
}

/** Calls `visit` with every text of a message, in order: nothing that a model can read is left out. */
export function visitTexts(entry: Entry, visit: TextVisitor): void {
  for (let index = 0; index < entry.parts.length; index += 1) {
    visitPart(entry.parts[index] as Part, visit, { part: index });
  }
}

/** Where the texts of a part lie; `source`: the kind they count as, whatever their part is. */
interface TextPlace {
  readonly part: number;
  readonly source?: TextSource;
}

type PartTexts = {
  readonly [Type in Part['type']]: (
    part: Extract<Part, { type: Type }>,
    visit: TextVisitor,
    place: TextPlace,
  ) => void;
};

const partTexts: PartTexts = {
  text: ({ text }, visit, { part, source = 'text' }) => say(text, visit, source, part),
  reasoning: ({ text }, visit, { part }) => say(text, visit, 'reasoning', part),
  call: (call, visit, { part }) => {
    for (const { text } of stringLeaves(callInputValue(call))) say(text, visit, 'argument', part);
  },
  result: ({ pieces }, visit, { part }) => {
    for (const piece of pieces) visitPart(piece, visit, { part, source: 'result' });
  },
  media: ({ filename = '' }, visit, { part, source = 'text' }) => say(filename, visit, source, part),
  opaque: ({ value }, visit, { part, source = 'opaque' }) => {
    for (const { text } of stringLeaves(value)) say(text, visit, source, part);
  },
};

function visitPart<Type extends Part['type']>(
  part: Extract<Part, { type: Type }>,
  visit: TextVisitor,
  place: TextPlace,
): void {
  const row = partTexts[part.type];
  row(part, visit, place);
}

function say(text: string, visit: TextVisitor, source: TextSource, part: number): void {
  if (text !== '') visit(text, source, part);
}
