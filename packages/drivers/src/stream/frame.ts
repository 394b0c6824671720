import type { Codec } from '@throughline/core';
import type { ModelEvent, ModelFailure, StepError } from '@throughline/ports';
import { SurrogateJoiner } from './join-surrogates.ts';
import { wellFormed } from './well-formed.ts';

type Spoken = 'text' | 'reasoning';
type Event<Type extends ModelEvent['type']> = Extract<ModelEvent, { readonly type: Type }>;
type Rules = {
  readonly [Type in ModelEvent['type']]?: (frame: Frame, event: Event<Type>) => Iterable<ModelEvent>;
};

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
  private readonly open = new Map<string, Spoken>();
  private readonly inputs = new Set<string>();
  private readonly texts = new Map<string, string[]>();
  private readonly joiner = new SurrogateJoiner();
  private readonly codec: Codec;

  constructor(codec: Codec) {
    this.codec = codec;
  }

  *pass(event: ModelEvent): Iterable<ModelEvent> {
    const rule = rules[event.type] as ((frame: Frame, event: ModelEvent) => Iterable<ModelEvent>) | undefined;
    if (rule) yield* rule(this, event);
    else yield wellFormed(event);
  }

  *begin(id: string, kind: Spoken): Iterable<ModelEvent> {
    if (this.open.get(id) === kind) return;
    // One id is one part.
    if (this.open.has(id)) yield* this.finishOpen(id);
    this.open.set(id, kind);
    yield { type: `${kind}-start`, id };
  }

  *say(id: string, kind: Spoken, piece: string): Iterable<ModelEvent> {
    yield* this.begin(id, kind);
    yield* this.tell(id, kind, this.joiner.join(`${kind} ${id}`, piece));
  }

  private *tell(id: string, kind: Spoken, text: string): Iterable<ModelEvent> {
    if (text === '') return;
    if (kind === 'text') {
      const told = this.texts.get(id);
      if (told) told.push(text);
      else this.texts.set(id, [text]);
    }
    yield { type: `${kind}-delta`, id, text };
  }

  *finish(id: string, kind: Spoken, event: Event<'text-end' | 'reasoning-end'>): Iterable<ModelEvent> {
    if (this.open.get(id) !== kind) return;
    yield* this.tell(id, kind, this.joiner.rest(`${kind} ${id}`));
    this.open.delete(id);
    yield event;
  }

  private *finishOpen(id: string): Iterable<ModelEvent> {
    const kind = this.open.get(id);
    if (kind) yield* this.finish(id, kind, { type: `${kind}-end`, id });
  }

  *beginInput(event: Event<'tool-input-start'>): Iterable<ModelEvent> {
    if (this.inputs.has(event.callId)) return;
    this.inputs.add(event.callId);
    yield event;
  }

  *addInput(callId: string, piece: string): Iterable<ModelEvent> {
    const text = this.inputs.has(callId) ? this.joiner.join(`input ${callId}`, piece) : '';
    if (text !== '') yield { type: 'tool-input-delta', callId, text };
  }

  *finishInput(event: Event<'tool-input-end'>): Iterable<ModelEvent> {
    const { callId } = event;
    const text = this.joiner.rest(`input ${callId}`);
    if (text !== '') yield { type: 'tool-input-delta', callId, text };
    if (this.inputs.has(callId)) yield event;
  }

  *call(event: Event<'call'>): Iterable<ModelEvent> {
    this.inputs.delete(event.call.callId);
    yield wellFormed(event);
  }

  *end(event: Event<'end'>): Iterable<ModelEvent> {
    if (this.inputs.size > 0) {
      yield* this.fail(notWhole);
      return;
    }
    yield* this.closeAll();
    yield wellFormed(event);
  }

  private *closeAll(): Iterable<ModelEvent> {
    for (const id of this.open.keys()) yield* this.finishOpen(id);
  }

  /** The end of a stream that broke. */
  *fail(failure: ModelFailure = notWhole): Iterable<ModelEvent> {
    yield* this.closeAll();
    yield { type: 'error', failure, messages: this.partial() } satisfies StepError;
  }

  private partial(): readonly unknown[] {
    const parts = [...this.texts.values()]
      .map((pieces) => ({ type: 'text', text: pieces.join('') }) as const)
      .filter(({ text }) => text.trim() !== '');
    return parts.length === 0
      ? []
      : this.codec.compose({ role: 'assistant', parts, kind: 'converted' }).messages;
  }
}
