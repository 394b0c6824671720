import { isObject, objectOf, parseArguments, sendableText, textOf } from '../stream/wire-value.ts';
import type { ModelEvent } from '@throughline/ports';
import type { WireObject } from '../stream/wire-value.ts';

interface OpenCall {
  readonly callId: string;
  name: string;
  readonly isCustom: boolean;
  readonly pieces: string[];
  /** What else stands beside the call and belongs to it (the signature of Gemini). */
  readonly extra: Record<string, unknown>;
}

const own = new Set(['index', 'id', 'type', 'function', 'custom']);

/**
 * Puts the calls of a stream together. A piece belongs to the call of its index; but a new id is a new call, since
 * servers have given all parallel calls one index; and without an index it goes on with the last.
 */
export class ChatCalls {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();
  readonly #idPrefix: string;

  constructor(idPrefix: string) {
    this.#idPrefix = idPrefix;
  }

  get size(): number {
    return this.#calls.length;
  }

  *add(delta: WireObject): Iterable<ModelEvent> {
    const isCustom = isObject(delta['custom']);
    const named = objectOf(isCustom ? delta['custom'] : delta['function']);
    let call = this.#callOf(delta, textOf(named['name']));
    if (!call) {
      call = this.#begin(delta, textOf(named['name']), isCustom);
      yield { type: 'tool-input-start', callId: call.callId, name: call.name, isProviderExecuted: false };
    }
    call.name ||= textOf(named['name']);
    for (const [name, value] of Object.entries(delta)) if (!own.has(name)) call.extra[name] = value;
    const said = named[isCustom ? 'input' : 'arguments'];
    const text = isObject(said) ? JSON.stringify(said) : textOf(said);
    call.pieces.push(text);
    if (text !== '') yield { type: 'tool-input-delta', callId: call.callId, text };
  }

  #callOf({ index, id }: WireObject, name: string): OpenCall | undefined {
    const found = typeof index === 'number' ? this.#byIndex.get(index) : this.#calls.at(-1);
    const isOther = textOf(id) !== '' && found?.callId !== id && name !== '';
    const isNext = typeof index !== 'number' && textOf(id) === '' && name !== '';
    return isOther || isNext ? undefined : found;
  }

  #begin({ index, id }: WireObject, name: string, isCustom: boolean): OpenCall {
    const given = textOf(id);
    const isFree = given !== '' && this.#calls.every(({ callId }) => callId !== given);
    const callId = isFree ? given : `${this.#idPrefix}_${this.#calls.length}`;
    const call: OpenCall = { callId, name, isCustom, pieces: [], extra: {} };
    this.#calls.push(call);
    if (typeof index === 'number') this.#byIndex.set(index, call);
    return call;
  }

  *finish(): Iterable<ModelEvent> {
    for (const call of this.#calls) {
      const { callId, name } = call;
      yield { type: 'tool-input-end', callId };
      yield { type: 'call', call: { callId, name, ...inputOf(call), isProviderExecuted: false } };
    }
  }

  /** As they go back. */
  wire(): readonly WireObject[] {
    return this.#calls.map(({ callId: id, name, isCustom, pieces, extra }) => {
      const text = pieces.join('');
      return isCustom
        ? { id, type: 'custom', custom: { name, input: text }, ...extra }
        : {
            id,
            type: 'function',
            function: { name, arguments: sendableText(parseArguments(text)) },
            ...extra,
          };
    });
  }
}

/** A custom tool takes a text, so every text is right. */
function inputOf({ isCustom, pieces }: OpenCall): ReturnType<typeof parseArguments> {
  const inputText = pieces.join('');
  return isCustom ? { input: inputText, inputText, isInvalid: false } : parseArguments(inputText);
}
