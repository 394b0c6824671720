import { ContextError } from '../errors/context-error.ts';
import type { Path } from '../json/json.ts';
import { isObject, parseJson } from '../json/json.ts';
import type { Mend } from '../transcript/entry.ts';
import { jsonText } from '../transcript/entry-text.ts';
import type { Roles, WireObject } from './decode-parts.ts';

/** A call that waits for its result. */
export interface WaitingCall {
  readonly callId: string;
  readonly name: string;
  /** It came without an id that could be used. */
  readonly hasMadeUpId: boolean;
}

/** Stands in a mended list for an element that goes. */
export const dropped = Symbol('dropped');

/** A message that is to be mended, and what was done to it. */
interface MendedMessage {
  readonly format: string;
  /** Of the message, as `messages[3]`. */
  readonly place: string;
  /** Taken out where a result answers one. */
  readonly waiting: WaitingCall[];
  readonly mends: Mend[];
}

/**
 * Brings one message into a form that its format takes. Places are counted from where it stands: at the message, or
 * further `below`.
 */
export class Mending {
  readonly #message: MendedMessage;
  readonly #at: Path;

  constructor(message: MendedMessage, at: Path = []) {
    this.#message = message;
    this.#at = at;
  }

  /** The same for what lies in a member or an element. */
  below(key: string | number): Mending {
    return new Mending(this.#message, [...this.#at, key]);
  }

  /** @throws {ContextError} `bad-wire-format` with the place in the messages. */
  refuse(at: Path, expected: string, received: unknown): never {
    const { format, place } = this.#message;
    const path = [...this.#at, ...at].reduce<string>((text, key) => text + stepOf(key), place);
    const message = `Expected ${path} to be ${expected}, got ${nameOf(received)}.`;
    throw new ContextError('bad-wire-format', message, { format, path, expected });
  }

  note(at: Path, what: string): void {
    this.#message.mends.push({ at: [...this.#at, ...at], what });
  }

  /** The value, noted as the mended one of this place. */
  put<Value>(at: Path, what: string, value: Value): Value {
    this.note(at, what);
    return value;
  }

  /** What stands here goes. */
  drop(what: string): typeof dropped {
    return this.put([], what, dropped);
  }

  /** The value of a member that may be missing; of one that holds what it may not, nothing. */
  optional(name: string, value: unknown, fits: (value: unknown) => boolean, what: string): unknown {
    return value === undefined || fits(value) ? value : this.put([name], what, undefined);
  }

  /** The id of a call: its own, else one made of the tool's name. */
  callId(at: Path, own: unknown, name: string): string {
    if (typeof own === 'string' && own !== '') return own;
    this.#message.mends.push({
      at: [...this.#at, ...at],
      what: 'the call had no id of type text',
      isCallId: true,
    });
    return numberText(own) ?? name;
  }

  /**
   * The call that a result answers: by its own id, else by the tool it names, else by the order of the calls.
   * `undefined` where it has no id and no call waits.
   */
  answered(at: Path, own: unknown, name?: unknown): WaitingCall | undefined {
    const isText = typeof own === 'string' && own !== '';
    const id = isText ? own : numberText(own);
    const found =
      this.#take(({ callId }) => callId === id) ??
      this.#take((call) => !isText && (call.callId === name || call.name === name)) ??
      this.#take(({ hasMadeUpId }) => !isText || hasMadeUpId);
    if (!found && isText) return { callId: own, name: '', hasMadeUpId: false };
    if (found && found.callId !== own)
      this.note(at, 'the result had no id of its call: calls are answered in order');
    return found;
  }

  #take(fits: (call: WaitingCall) => boolean): WaitingCall | undefined {
    const { waiting } = this.#message;
    const index = waiting.findIndex(fits);
    return index < 0 ? undefined : waiting.splice(index, 1)[0];
  }
}

function stepOf(key: string | number): string {
  return typeof key === 'number' ? `[${key}]` : `.${key}`;
}

/** What a value is, in a word or two. */
function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return value === '' ? 'an empty text' : JSON.stringify(value.slice(0, 40));
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `${typeof value} ${numberText(value) ?? jsonText(value)}`;
}

function numberText(value: unknown): string | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

/** The object with some members replaced, or without those that become `undefined`; itself where nothing differs. */
export function withMembers<Wire extends WireObject>(object: Wire, members: WireObject): Wire {
  const names = Object.keys(members).filter((name) => object[name] !== members[name]);
  if (names.length === 0) return object;
  const copy: Record<string, unknown> = { ...object };
  for (const name of names) {
    if (members[name] === undefined) delete copy[name];
    else copy[name] = members[name];
  }
  return copy as Wire;
}

/** The list with each element mended; itself where nothing differs. */
export function mendList(
  list: readonly unknown[],
  mending: Mending,
  mend: (element: unknown, mending: Mending) => unknown,
): readonly unknown[] {
  const mended = Array.from(list, (element, index) => mend(element, mending.below(index)));
  if (mended.every((element, index) => element === list[index])) return list;
  return mended.filter((element) => element !== dropped);
}

/** Role of a message that can be taken; everything else is refused. */
export function requireRole(message: unknown, roles: Roles, mending: Mending): WireObject {
  if (!isObject(message)) return mending.refuse([], `a message of the format, with a role`, message);
  const { role } = message;
  if (!roles.has(role)) mending.refuse(['role'], oneOf(roles), role);
  return message;
}

/** The names of a table, as what is expected. */
export function oneOf(table: ReadonlyMap<unknown, unknown>): string {
  return `one of ${[...table.keys()].join(', ')}`;
}

/** Mends a block, or a part, of one type. */
export type BlockMender = (block: WireObject, mending: Mending) => unknown;

/** How a format writes content blocks. */
export interface BlockShape {
  readonly textType: string;
  /** Types of blocks that other formats have: here nobody takes them. Types that nobody knows are the provider's. */
  readonly foreign: readonly string[];
  readonly mend: BlockMender;
}

/** A block of a list of content: a bare text becomes a block, nothing at all goes, what has no type is refused. */
export function mendBlock(
  block: unknown,
  { textType, foreign, mend }: BlockShape,
  mending: Mending,
): unknown {
  if (block === null || block === undefined) return mending.drop('the list held nothing here');
  if (typeof block === 'string')
    return mending.put([], 'a bare text became a block', { type: textType, text: block });
  if (!isObject(block)) return mending.refuse([], 'a content block', block);
  const { type } = block;
  if (typeof type !== 'string' || type === '') {
    if (typeof block['text'] !== 'string') mending.refuse(['type'], 'the type of a block', type);
    return mend(mending.put([], 'a text block had no type', { ...block, type: textType }), mending);
  }
  return foreign.includes(type)
    ? mending.refuse(['type'], 'the type of a block of this format', type)
    : mend(block, mending);
}

/** A list of content, each block mended. */
export function mendBlocks(
  list: readonly unknown[],
  shape: BlockShape,
  mending: Mending,
): readonly unknown[] {
  return mendList(list, mending, (block, inner) => mendBlock(block, shape, inner));
}

/** A message that holds a text, or a list of blocks. */
export function mendSpeech(message: WireObject, shape: BlockShape, mending: Mending): WireObject {
  const { content } = message;
  if (typeof content === 'string') return message;
  if (!Array.isArray(content)) mending.refuse(['content'], 'a text or a list of content blocks', content);
  return withMembers(message, {
    content: mendBlocks(content as unknown[], shape, mending.below('content')),
  });
}

/** What the blocks say, where the format takes only a text. */
export function joinedText(blocks: readonly unknown[], what: string, mending: Mending): string {
  const texts = blocks.map((block, index) => {
    const text = isObject(block) ? block['text'] : undefined;
    return typeof text === 'string' ? text : mending.refuse(['content', index], 'a text', block);
  });
  return mending.put(['content'], what, texts.join('\n\n'));
}

/** A block whose text has to be a text; one of nothing goes. */
export function mendText(block: WireObject, mending: Mending, key = 'text'): unknown {
  const text = block[key];
  if (typeof text === 'string') return block;
  if (text === null || text === undefined) return mending.drop('a text block without a text');
  if (typeof text === 'object') mending.refuse([key], 'a text', text);
  const said = numberText(text) ?? jsonText(text);
  return withMembers(block, { [key]: mending.put([key], 'became a text', said) });
}

// What OpenAI and Anthropic state as pattern, and the characters that other servers use to set names apart.
const foreignInName = /[^a-zA-Z0-9_.:/-]/g;

/** The name of a tool as providers take it; `undefined` where there is none. */
export function mendName(
  object: WireObject,
  key: string,
  longest: number,
  mending: Mending,
): string | undefined {
  const name = object[key];
  const text = typeof name === 'string' ? name : numberText(name);
  if (text === undefined || text === '') return undefined;
  const legal = text.replace(foreignInName, '_').slice(0, longest);
  return legal === name ? legal : mending.put([key], 'the name of the tool was not one', legal);
}

/** Arguments as JSON text. */
export function mendArguments(object: WireObject, key: string, mending: Mending): string {
  const value = object[key];
  if (typeof value === 'string') return value;
  if (value === undefined || value === null)
    return mending.put([key], 'a call without arguments got empty ones', '{}');
  return mending.put([key], 'arguments became JSON text', jsonText(value) || '{}');
}

/** Arguments as an object. What is none is wrapped in one. */
export function mendInput(object: WireObject, key: string, mending: Mending): unknown {
  const value = object[key];
  if (isObject(value)) return value;
  const parsed = typeof value === 'string' ? parseObject(value) : undefined;
  if (parsed) return mending.put([key], 'arguments in JSON text became an object', parsed);
  const isNothing = value === undefined || value === null || value === '';
  return mending.put([key], 'arguments became an object', isNothing ? {} : { input: value });
}

function parseObject(text: string): object | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** What a tool returned, as a text. */
export function mendOutput(value: unknown, mending: Mending): string {
  if (value === undefined || value === null)
    return mending.put([], 'a result without content got an empty text', '');
  return mending.put([], 'the output of a tool became text', jsonText(value));
}

/** What a tool returned: a text, or a list of blocks that holds at least one. */
export function mendPieces(output: unknown, shape: BlockShape, mending: Mending): unknown {
  if (typeof output === 'string') return output;
  if (!Array.isArray(output)) return mendOutput(output, mending);
  const pieces = mendBlocks(output, shape, mending);
  return pieces.length === 0 ? mendOutput(undefined, mending) : pieces;
}

/** What an optional member may hold. */
export type MemberChecks = Readonly<Record<string, (value: unknown) => boolean>>;

export const isText = (value: unknown): value is string => typeof value === 'string';

/** An id, or a name. */
export const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

export const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

/** The object without the optional members that hold something else than they may. */
export function withoutUnfit(object: WireObject, checks: MemberChecks, mending: Mending): WireObject {
  const what = 'was of another type and left out';
  const fit = Object.entries(checks).map(([name, check]) => [
    name,
    mending.optional(name, object[name], check, what),
  ]);
  return withMembers(object, Object.fromEntries(fit) as WireObject);
}
