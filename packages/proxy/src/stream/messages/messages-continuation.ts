import { firstPart } from '../shared/continuation.ts';
import { countOf, objectOf, textOf } from '@throughline/core/internal';
import { rewritten, typedEvent } from '../shared/stream-event.ts';
import { joinMessagesUsage, withInput, writeMessagesUsage } from './messages-usage.ts';
import type { AnswerPart, Continuation, Ending, StreamFault } from '../shared/continuation.ts';
import type { StreamEvent } from '../shared/stream-event.ts';
import type { WireObject } from '@throughline/core/internal';

type Rule = (answer: MessagesContinuation, event: StreamEvent, value: WireObject) => readonly StreamEvent[];

/** What becomes of each event of a part; what is not listed passes as it is. */
const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['message_start', (answer, event, value) => answer.startPart(event, objectOf(value['message']))],
  ['content_block_start', (answer, event, value) => answer.startBlock(event, value)],
  ['content_block_delta', (answer, event, value) => answer.addToBlock(event, value)],
  ['content_block_stop', (answer, event, value) => answer.stopBlock(event, value)],
  ['message_delta', (answer, event, value) => answer.endMessage(event, value)],
  ['error', (answer, event) => [...answer.flush(), event]],
]);

/** A messages answer is a list of blocks: each starts and stops once, under an index of its own. */
export class MessagesContinuation implements Continuation {
  #part: AnswerPart = firstPart({ inputTokens: 0 });
  #hasStarted = false;
  #nextIndex = 0;
  #open: { readonly index: number; readonly type: string } | undefined;
  /** The indexes of the blocks of this part, and what they are for the client. */
  readonly #indexes = new Map<unknown, number>();
  #startUsage: WireObject = {};

  saw({ value }: StreamEvent): void {
    if (!value) return;
    const type = value['type'];
    const index = countOf(value['index']);
    if (type === 'message_start') this.#hasStarted = true;
    if (type === 'content_block_start') {
      this.#open = { index, type: textOf(objectOf(value['content_block'])['type']) };
      this.#nextIndex = Math.max(this.#nextIndex, index + 1);
    }
    if (type === 'content_block_stop' && this.#open?.index === index) this.#open = undefined;
  }

  begin(part: AnswerPart): void {
    this.#part = part;
    this.#indexes.clear();
    this.#startUsage = {};
  }

  take(event: StreamEvent): readonly StreamEvent[] {
    const { value } = event;
    if (!value) return [event];
    return rules.get(textOf(value['type']))?.(this, event, value) ?? [event];
  }

  startPart(event: StreamEvent, message: WireObject): readonly StreamEvent[] {
    this.#startUsage = objectOf(message['usage']);
    if (!this.#part.keepsStart) return [];
    const usage = withInput(this.#startUsage, this.#part.estimates);
    return [this.#told(rewritten(event, { ...event.value, message: { ...message, usage } }))];
  }

  startBlock(event: StreamEvent, value: WireObject): readonly StreamEvent[] {
    const block = objectOf(value['content_block']);
    const goesOn = block['type'] === 'text' && this.#open?.type === 'text' && this.#indexes.size === 0;
    if (goesOn && this.#open) {
      this.#indexes.set(value['index'], this.#open.index);
      return this.#say(this.#open.index, textOf(block['text']));
    }
    const stopped = this.#stopOpen();
    const index = this.#nextIndex;
    this.#indexes.set(value['index'], index);
    return [...stopped, this.#told(rewritten(event, { ...value, index }))];
  }

  addToBlock(event: StreamEvent, value: WireObject): readonly StreamEvent[] {
    const index = this.#indexOf(value['index']);
    const delta = objectOf(value['delta']);
    if (delta['type'] !== 'text_delta') return [...this.flush(), rewritten(event, { ...value, index })];
    const text = this.#part.overlap.take(textOf(delta['text']));
    return text === '' ? [] : [rewritten(event, { ...value, index, delta: { ...delta, text } })];
  }

  #say(index: number, piece: string): readonly StreamEvent[] {
    const text = this.#part.overlap.take(piece);
    return text === '' ? [] : [textDelta(index, text)];
  }

  stopBlock(event: StreamEvent, value: WireObject): readonly StreamEvent[] {
    const index = this.#indexOf(value['index']);
    return [...this.flush(), this.#told(rewritten(event, { ...value, index }))];
  }

  endMessage(event: StreamEvent, value: WireObject): readonly StreamEvent[] {
    const usage = joinMessagesUsage(this.#startUsage, objectOf(value['usage']), this.#part);
    return [...this.#stopOpen(), rewritten(event, { ...value, usage })];
  }

  #indexOf(index: unknown): number {
    return this.#indexes.get(index) ?? countOf(index);
  }

  flush(): readonly StreamEvent[] {
    const text = this.#part.overlap.end();
    return text === '' || this.#open?.type !== 'text' ? [] : [textDelta(this.#open.index, text)];
  }

  #stopOpen(): readonly StreamEvent[] {
    const flushed = this.flush();
    if (!this.#open) return flushed;
    const { index } = this.#open;
    return [...flushed, this.#told(typedEvent({ type: 'content_block_stop', index }))];
  }

  contentOf(): readonly StreamEvent[] {
    return [];
  }

  notice(text: string): readonly StreamEvent[] {
    if (!this.#hasStarted) return [];
    const stopped = this.#stopOpen();
    const index = this.#nextIndex;
    const block = { type: 'text', text: '' };
    const events = [
      typedEvent({ type: 'content_block_start', index, content_block: block }),
      textDelta(index, text),
      typedEvent({ type: 'content_block_stop', index }),
    ];
    return [...stopped, ...events.map((event) => this.#told(event))];
  }

  endWithLength({ usage }: Ending): readonly StreamEvent[] {
    const delta = { stop_reason: 'max_tokens', stop_sequence: null };
    return [
      ...this.#stopOpen(),
      typedEvent({ type: 'message_delta', delta, usage: writeMessagesUsage(usage) }),
      typedEvent({ type: 'message_stop' }),
    ];
  }

  fail({ message, type }: StreamFault): readonly StreamEvent[] {
    const error = { type: type ?? 'api_error', message };
    return [...this.flush(), typedEvent({ type: 'error', error })];
  }

  #told(event: StreamEvent): StreamEvent {
    this.saw(event);
    return event;
  }
}

function textDelta(index: number, text: string): StreamEvent {
  return typedEvent({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
}
