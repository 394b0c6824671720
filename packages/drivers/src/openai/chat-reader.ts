import { ProviderFault } from '../stream/run-stream.ts';
import { Speech } from '../stream/speech.ts';
import { chatUsage, finishReasons } from '@throughline/core/internal';
import { isObject, listOf, objectOf, textOf, withTotal } from '../stream/wire-value.ts';
import { ChatCalls } from './chat-calls.ts';
import type { ModelEvent, ModelFinish, ModelResponse, ModelUsage } from '@throughline/ports';
import type { ChunkReader } from '../stream/run-stream.ts';
import type { WireObject } from '../stream/wire-value.ts';

type DeltaReader = (reader: ChatReader, value: unknown, delta: WireObject) => Iterable<ModelEvent>;

/** What can stand in a delta. Servers tell reasoning under two names and as blocks, some under several at once. */
const deltaReaders: readonly (readonly [string, DeltaReader])[] = [
  ['reasoning_content', (reader, value) => reader.reason('reasoning_content', textOf(value))],
  [
    'reasoning',
    (reader, value, delta) =>
      textOf(delta['reasoning_content']) === '' ? reader.reason('reasoning', textOf(value)) : [],
  ],
  ['reasoning_details', (reader, value, delta) => reader.reasonInBlocks(listOf(value), delta)],
  ['content', (reader, value) => reader.say(value)],
  ['refusal', (reader, value) => reader.refuse(textOf(value))],
  ['tool_calls', (reader, value) => reader.call(listOf(value))],
];

/** Reads the stream of one Chat Completion, and keeps what its message will be. */
export class ChatReader implements ChunkReader<unknown> {
  #response: ModelResponse | undefined;
  #usage: ModelUsage | undefined;
  #finishReason: string | undefined;
  #refusal = '';
  /** Mistral says what it thinks and what it answers as blocks of one list, and wants them back so. */
  #hasBlocks = false;
  #reasoningField = 'reasoning_content';
  readonly #speech = new Speech();
  readonly #details = new ReasoningDetails();
  readonly #calls: ChatCalls;

  /** @param idPrefix for calls that a server leaves without an id; no other response of the history may use it. */
  constructor(idPrefix: string) {
    this.#calls = new ChatCalls(idPrefix);
  }

  *take(chunk: unknown): Iterable<ModelEvent> {
    if (!isObject(chunk)) return;
    if (isObject(chunk['error'])) throw new ProviderFault('the stream holds an error', chunk['error']);
    if (!this.#response) {
      const { id, model } = chunk;
      this.#response = {
        ...(typeof id === 'string' && id !== '' && { id }),
        ...(typeof model === 'string' && model !== '' && { model }),
      };
      yield { type: 'response-start', response: this.#response };
    }
    this.#usage = withTotal(chatUsage(chunk), objectOf(chunk['usage'])) ?? this.#usage;
    const choice = objectOf(listOf(chunk['choices'])[0]);
    yield* this.#takeDelta(objectOf(choice['delta']));
    if (typeof choice['finish_reason'] === 'string') this.#finishReason = choice['finish_reason'];
  }

  *#takeDelta(delta: WireObject): Iterable<ModelEvent> {
    for (const [field, read] of deltaReaders) {
      if (delta[field] !== undefined && delta[field] !== null) yield* read(this, delta[field], delta);
    }
  }

  reason(field: string, text: string): Iterable<ModelEvent> {
    if (text !== '') this.#reasoningField = field;
    return this.#speech.say('reasoning', text);
  }

  *reasonInBlocks(blocks: readonly unknown[], delta: WireObject): Iterable<ModelEvent> {
    const isToldTwice = textOf(delta['reasoning']) !== '' || textOf(delta['reasoning_content']) !== '';
    for (const block of blocks) {
      const text = this.#details.add(objectOf(block));
      if (!isToldTwice) yield* this.#speech.say('reasoning', text);
    }
  }

  *say(content: unknown): Iterable<ModelEvent> {
    if (typeof content === 'string') yield* this.#speech.say('text', content);
    for (const block of listOf(content)) {
      this.#hasBlocks = true;
      const { type, text, thinking } = objectOf(block);
      if (type === 'text') yield* this.#speech.say('text', textOf(text));
      if (type === 'thinking') {
        const thought = typeof thinking === 'string' ? thinking : listOf(thinking).map(blockText).join('');
        yield* this.#speech.say('reasoning', thought);
      }
    }
  }

  refuse(text: string): Iterable<ModelEvent> {
    this.#refusal += text;
    return this.#speech.say('text', text);
  }

  *call(deltas: readonly unknown[]): Iterable<ModelEvent> {
    yield* this.#speech.endAll();
    for (const delta of deltas) yield* this.#calls.add(objectOf(delta));
  }

  *close(): Iterable<ModelEvent> {
    // A stream without a last word was cut, however whole it looks.
    if (this.#finishReason === undefined) return;
    if (this.#finishReason === 'error') throw new ProviderFault('the server ended the answer with an error');
    yield* this.#speech.endAll();
    yield* this.#calls.finish();
    yield {
      type: 'end',
      finish: this.#finish(this.#finishReason),
      finishReason: this.#finishReason,
      ...(this.#usage && { usage: this.#usage }),
      messages: this.#messages(),
      response: this.#response ?? {},
    };
  }

  #finish(reason: string): ModelFinish {
    const finish = finishReasons.chat[reason] ?? 'other';
    if (this.#refusal !== '') return 'refusal';
    // Some servers call it a stop although they wait for results.
    return finish === 'stop' && this.#calls.size > 0 ? 'tool-calls' : finish;
  }

  #messages(): readonly unknown[] {
    const text = this.#speech.textOf('text');
    const refusal = this.#refusal;
    const hasText = text.trim() !== '' && refusal === '';
    if (!hasText && refusal === '' && this.#calls.size === 0) return [];
    return [
      {
        role: 'assistant',
        content: hasText ? this.#content(text) : null,
        ...(refusal !== '' && { refusal }),
        ...(!this.#hasBlocks && this.#reasoning()),
        ...(this.#calls.size > 0 && { tool_calls: this.#calls.wire() }),
      },
    ];
  }

  #content(text: string): unknown {
    if (!this.#hasBlocks) return text;
    const thought = this.#speech.textOf('reasoning');
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: thought }] };
    return [...(thought === '' ? [] : [thinking]), { type: 'text', text }];
  }

  /** Under the name it came, and once: the blocks hold more than the text. */
  #reasoning(): object {
    const blocks = this.#details.wire();
    const text = this.#speech.textOf('reasoning');
    if (blocks.length > 0) return { reasoning_details: blocks };
    return text === '' ? {} : { [this.#reasoningField]: text };
  }
}

function blockText(block: unknown): string {
  return textOf(objectOf(block)['text']);
}

const texts = ['text', 'summary', 'data'];

/** Reasoning as OpenRouter streams it: pieces of blocks, told apart by type and index, that go back whole. */
class ReasoningDetails {
  readonly #blocks = new Map<string, Record<string, unknown>>();

  /** Adds a piece; gives what a reader sees of it. */
  add(piece: WireObject): string {
    const { index } = piece;
    const key = `${textOf(piece['type'])} ${typeof index === 'number' ? index : this.#blocks.size}`;
    const block = this.#blocks.get(key) ?? {};
    for (const [name, value] of Object.entries(piece)) {
      if (value === null || value === undefined) continue;
      const isText = texts.includes(name) && typeof value === 'string';
      block[name] = isText ? textOf(block[name]) + value : value;
    }
    this.#blocks.set(key, block);
    return textOf(piece['text']) || textOf(piece['summary']);
  }

  wire(): readonly WireObject[] {
    return [...this.#blocks.values()];
  }
}
