import type { Codec } from '@throughline/core';
import type { ModelEvent, ModelFailure, StepError } from '@throughline/ports';

type Spoken = 'text' | 'reasoning';
type Event<Type extends ModelEvent['type']> = Extract<ModelEvent, { readonly type: Type }>;
type Rules = {
  readonly [Type in ModelEvent['type']]?: (frame: Frame, event: Event<Type>) => readonly ModelEvent[];
};
type Rule = (frame: Frame, event: ModelEvent) => readonly ModelEvent[];

const nothing: readonly ModelEvent[] = [];

/** The grammar of the port, event by event; what is not listed passes as it is. */
const rules: Rules = {
  'text-start': (frame, event) => frame.begin(event.id, 'text'),
  'text-delta': (frame, event) => frame.say(event.id, 'text', event.text),
  'text-end': (frame, event) => frame.finish(event.id, 'text', event),
  'reasoning-start': (frame, event) => frame.begin(event.id, 'reasoning'),
  'reasoning-delta': (frame, event) => frame.say(event.id, 'reasoning', event.text),
  'reasoning-end': (frame, event) => frame.finish(event.id, 'reasoning', event),
  'tool-input-start': (frame, event) => frame.beginInput(event),
  'tool-input-delta': (frame, event) => frame.addInput(event.callId, event.text),
  'tool-input-end': (frame, event) => frame.finishInput(event),
  call: (frame, event) => frame.call(event),
  end: (frame, event) => frame.end(event),
};

const notWhole: ModelFailure = {
  kind: 'provider',
  message: 'the stream ended before the answer was whole',
  recoverable: true,
};

/**
 * Makes the events of any reader keep the grammar of the port, whatever the server sent: what goes on without having
 * begun begins, what is open ends, and an end inside a call is a broken stream. Keeps the text so far.
 */
export class Frame {
  readonly #open = new Map<string, Spoken>();
  readonly #inputs = new Set<string>();
  readonly #texts = new Map<string, string[]>();
  readonly #joiner = new SurrogateJoiner();
  readonly #codec: Codec;

  constructor(codec: Codec) {
    this.#codec = codec;
  }

  // Lists, not generators: several of those for each piece of text cost more than the rest of its way.
  pass(event: ModelEvent): readonly ModelEvent[] {
    const rule = rules[event.type] as Rule | undefined;
    return rule ? rule(this, event) : [wellFormed(event)];
  }

  begin(id: string, kind: Spoken): readonly ModelEvent[] {
    if (this.#open.get(id) === kind) return nothing;
    // One id is one part.
    const before = this.#finishOpen(id);
    this.#open.set(id, kind);
    return [...before, { type: `${kind}-start`, id }];
  }

  say(id: string, kind: Spoken, piece: string): readonly ModelEvent[] {
    const begun = this.begin(id, kind);
    const told = this.#tell(id, kind, this.#joiner.join(`${kind} ${id}`, piece));
    return begun.length === 0 ? told : [...begun, ...told];
  }

  #tell(id: string, kind: Spoken, text: string): readonly ModelEvent[] {
    if (text === '') return nothing;
    if (kind === 'text') {
      const told = this.#texts.get(id);
      if (told) told.push(text);
      else this.#texts.set(id, [text]);
    }
    return [{ type: `${kind}-delta`, id, text }];
  }

  finish(id: string, kind: Spoken, event: Event<'text-end' | 'reasoning-end'>): readonly ModelEvent[] {
    if (this.#open.get(id) !== kind) return nothing;
    const rest = this.#tell(id, kind, this.#joiner.rest(`${kind} ${id}`));
    this.#open.delete(id);
    return [...rest, event];
  }

  #finishOpen(id: string): readonly ModelEvent[] {
    const kind = this.#open.get(id);
    return kind ? this.finish(id, kind, { type: `${kind}-end`, id }) : nothing;
  }

  beginInput(event: Event<'tool-input-start'>): readonly ModelEvent[] {
    if (this.#inputs.has(event.callId)) return nothing;
    this.#inputs.add(event.callId);
    return [event];
  }

  addInput(callId: string, piece: string): readonly ModelEvent[] {
    const text = this.#inputs.has(callId) ? this.#joiner.join(`input ${callId}`, piece) : '';
    return text === '' ? nothing : [{ type: 'tool-input-delta', callId, text }];
  }

  finishInput(event: Event<'tool-input-end'>): readonly ModelEvent[] {
    const { callId } = event;
    const text = this.#joiner.rest(`input ${callId}`);
    return [
      ...(text === '' ? [] : [{ type: 'tool-input-delta', callId, text } as const]),
      ...(this.#inputs.has(callId) ? [event] : []),
    ];
  }

  call(event: Event<'call'>): readonly ModelEvent[] {
    this.#inputs.delete(event.call.callId);
    return [wellFormed(event)];
  }

  end(event: Event<'end'>): readonly ModelEvent[] {
    return this.#inputs.size > 0 ? this.fail(notWhole) : [...this.#closeAll(), wellFormed(event)];
  }

  #closeAll(): readonly ModelEvent[] {
    return [...this.#open.keys()].flatMap((id) => this.#finishOpen(id));
  }

  /** The end of a stream that broke. */
  fail(failure: ModelFailure = notWhole): readonly ModelEvent[] {
    const closed = this.#closeAll();
    return [...closed, { type: 'error', failure, messages: this.#partial() } satisfies StepError];
  }

  #partial(): readonly unknown[] {
    const parts = [...this.#texts.values()]
      .map((pieces) => ({ type: 'text', text: pieces.join('') }) as const)
      .filter(({ text }) => text.trim() !== '');
    return parts.length === 0
      ? []
      : this.#codec.compose({ role: 'assistant', parts, kind: 'converted' }).messages;
  }
}

/**
 * Keeps the halves of a character together that a server has split over two pieces of a text: a piece that ends in the
 * middle of one waits with its last half for the next piece of the same text.
 */
export class SurrogateJoiner {
  readonly #halves = new Map<string, string>();

  /** The piece with the half that waited for it, without the half that has to wait. */
  join(id: string, piece: string): string {
    if (piece === '') return piece;
    const text = (this.#halves.get(id) ?? '') + piece;
    const isSplit = /[\uD800-\uDBFF]$/.test(text.slice(-1));
    if (isSplit) this.#halves.set(id, text.slice(-1));
    else this.#halves.delete(id);
    return (isSplit ? text.slice(0, -1) : text).toWellFormed();
  }

  /** The half that waited in vain, as the character that stands for a broken one. */
  rest(id: string): string {
    const half = this.#halves.get(id);
    this.#halves.delete(id);
    return half === undefined ? '' : half.toWellFormed();
  }
}

/**
 * The value with every half character replaced, which a server would refuse when it comes back; the same object where
 * there is none. Looks into plain objects and lists only.
 */
export function wellFormed<Value>(value: Value): Value {
  return repaired(value) as Value;
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed();
  if (Array.isArray(value)) {
    const items = value.map(repaired);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, item, repaired(item)] as const);
  if (entries.every(([name, item, better]) => item === better && name.isWellFormed())) return value;
  return Object.fromEntries(entries.map(([name, , better]) => [name.toWellFormed(), better]));
}
