import { ProviderFault } from '../stream/run-stream.ts';
import { finishReasons, messagesUsage } from '@throughline/core/internal';
import { isObject, objectOf, textOf, withTotal } from '../stream/wire-value.ts';
import { blockKind, readBlockDelta } from './anthropic-blocks.ts';
import type { ModelEvent, ModelResponse } from '@throughline/ports';
import type { ChunkReader } from '../stream/run-stream.ts';
import type { ToldUsage } from '@throughline/core/internal';
import type { WireObject } from '../stream/wire-value.ts';
import type { OpenBlock } from './anthropic-blocks.ts';

type EventReader = (reader: AnthropicReader, event: WireObject) => Iterable<ModelEvent>;

/** One short function per event; what is not listed says nothing. */
const eventReaders: ReadonlyMap<string, EventReader> = new Map<string, EventReader>([
  ['message_start', (reader, { message }) => reader.start(objectOf(message))],
  [
    'content_block_start',
    (reader, { index, content_block: block }) => reader.startBlock(index, objectOf(block)),
  ],
  ['content_block_delta', (reader, { index, delta }) => reader.addToBlock(index, objectOf(delta))],
  ['content_block_stop', (reader, { index }) => reader.stopBlock(index)],
  ['message_delta', (reader, { delta, usage }) => reader.finish(objectOf(delta), usage)],
  ['error', (_, event) => fault(event)],
]);

function fault({ error }: WireObject): never {
  throw new ProviderFault('the stream holds an error', error);
}

/** Reads the raw events of one message, and keeps what it will be. */
export class AnthropicReader implements ChunkReader<unknown> {
  #response: ModelResponse = {};
  #stopReason: string | undefined;
  #usage: ToldUsage | undefined;
  /** In their order; a block that did not end is not sent again. */
  readonly #blocks = new Map<unknown, { readonly block: OpenBlock; isDone: boolean }>();

  *take(event: unknown): Iterable<ModelEvent> {
    if (!isObject(event)) return;
    yield* eventReaders.get(textOf(event['type']))?.(this, event) ?? [];
  }

  *start({ id, model, usage }: WireObject): Iterable<ModelEvent> {
    this.#response = {
      ...(typeof id === 'string' && { id }),
      ...(typeof model === 'string' && { model }),
    };
    this.#usage = messagesUsage(this.#usage, usage, 'start');
    yield { type: 'response-start', response: this.#response };
  }

  *startBlock(index: unknown, fields: WireObject): Iterable<ModelEvent> {
    const block: OpenBlock = { id: `block-${this.#blocks.size}`, fields: { ...fields }, input: [] };
    this.#blocks.set(index, { block, isDone: false });
    yield* blockKind(textOf(fields['type'])).start(block);
  }

  *addToBlock(index: unknown, delta: WireObject): Iterable<ModelEvent> {
    const open = this.#blocks.get(index);
    if (open) yield* readBlockDelta(open.block, delta);
  }

  *stopBlock(index: unknown): Iterable<ModelEvent> {
    const open = this.#blocks.get(index);
    if (!open || open.isDone) return;
    open.isDone = true;
    yield* blockKind(textOf(open.block.fields['type'])).stop(open.block);
  }

  finish({ stop_reason: reason }: WireObject, usage: unknown): Iterable<ModelEvent> {
    this.#usage = messagesUsage(this.#usage, usage, 'end');
    if (typeof reason === 'string') this.#stopReason = reason;
    return [];
  }

  *close(): Iterable<ModelEvent> {
    if (this.#stopReason === undefined) return;
    for (const index of this.#blocks.keys()) yield* this.stopBlock(index);
    const usage = withTotal(this.#usage);
    const isCounted = usage !== undefined && usage.totalTokens > 0;
    yield {
      type: 'end',
      finish: finishReasons.messages[this.#stopReason] ?? 'other',
      finishReason: this.#stopReason,
      ...(isCounted && { usage }),
      messages: this.#messages(),
      response: this.#response,
    };
  }

  /** What the API takes back: no blank text, and no message of nothing but thinking. */
  #messages(): readonly unknown[] {
    const content = [...this.#blocks.values()]
      .map(({ block }): WireObject => block.fields)
      .filter(({ type, text }) => type !== 'text' || textOf(text).trim() !== '');
    const isSaid = content.some(({ type }) => !textOf(type).endsWith('thinking'));
    return isSaid ? [{ role: 'assistant', content }] : [];
  }
}
