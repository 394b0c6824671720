import { ProviderFault } from '../stream/run-stream.ts';
import { countOf, isObject, objectOf, textOf } from '../stream/wire-value.ts';
import { blockKind, readBlockDelta } from './anthropic-blocks.ts';
import type { ModelEvent, ModelFinish, ModelResponse, ModelUsage } from '@throughline/ports';
import type { ChunkReader } from '../stream/run-stream.ts';
import type { WireObject } from '../stream/wire-value.ts';
import type { OpenBlock } from './anthropic-blocks.ts';

const finishes: Readonly<Record<string, ModelFinish>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool-calls',
  pause_turn: 'paused',
  refusal: 'refusal',
  model_context_window_exceeded: 'window-full',
};

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
  ['message_delta', (reader, { delta, usage }) => reader.finish(objectOf(delta), objectOf(usage))],
  ['error', (_, event) => fault(event)],
]);

function fault({ error }: WireObject): never {
  throw new ProviderFault('the stream holds an error', error);
}

/** Reads the raw events of one message, and keeps what it will be. */
export class AnthropicReader implements ChunkReader<unknown> {
  #response: ModelResponse = {};
  #stopReason: string | undefined;
  readonly #usage = new AnthropicUsage();
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
    this.#usage.add(objectOf(usage));
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

  finish({ stop_reason: reason }: WireObject, usage: WireObject): Iterable<ModelEvent> {
    this.#usage.add(usage);
    if (typeof reason === 'string') this.#stopReason = reason;
    return [];
  }

  *close(): Iterable<ModelEvent> {
    if (this.#stopReason === undefined) return;
    for (const index of this.#blocks.keys()) yield* this.stopBlock(index);
    const usage = this.#usage.total();
    yield {
      type: 'end',
      finish: finishes[this.#stopReason] ?? 'other',
      finishReason: this.#stopReason,
      ...(usage && { usage }),
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

const fields = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
] as const;

/**
 * Usage comes at the start and again, cumulative, at the end, where servers that only imitate the format tell the truth:
 * of each field the last number above 0 counts. `input_tokens` leaves out what came from the cache or went into it.
 */
class AnthropicUsage {
  readonly #counts = new Map<string, number>();
  #reasoningTokens = 0;

  add(usage: WireObject): void {
    for (const field of fields) {
      const count = countOf(usage[field]);
      if (count > 0) this.#counts.set(field, count);
    }
    const { thinking_tokens: thinking } = objectOf(usage['output_tokens_details']);
    this.#reasoningTokens = countOf(thinking) || this.#reasoningTokens;
  }

  total(): ModelUsage | undefined {
    if (this.#counts.size === 0) return undefined;
    const [input, cacheWriteTokens, cacheReadTokens, outputTokens] = fields.map(
      (field) => this.#counts.get(field) ?? 0,
    ) as [number, number, number, number];
    const inputTokens = input + cacheWriteTokens + cacheReadTokens;
    return {
      inputTokens,
      outputTokens,
      reasoningTokens: this.#reasoningTokens,
      cacheReadTokens,
      cacheWriteTokens,
      totalTokens: inputTokens + outputTokens,
    };
  }
}
