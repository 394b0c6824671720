import { ProviderFault } from '../stream/run-stream.ts';
import { finishReasons, responsesUsage } from '@throughline/core/internal';
import { countOf, isObject, listOf, objectOf, textOf, withTotal } from '../stream/wire-value.ts';
import { itemKind, reasoningText, secretOf, sendableItems } from './response-items.ts';
import type { ModelEvent, ModelFinish, ModelResponse } from '@throughline/ports';
import type { ChunkReader } from '../stream/run-stream.ts';
import type { WireObject } from '../stream/wire-value.ts';

type EventReader = (reader: ResponsesReader, event: WireObject) => Iterable<ModelEvent>;

/** One short function per event; what is not listed says nothing that another does not say. */
const eventReaders: ReadonlyMap<string, EventReader> = new Map<string, EventReader>([
  ['response.created', (reader, { response }) => reader.start(objectOf(response))],
  ['response.in_progress', (reader, { response }) => reader.start(objectOf(response))],
  ['response.output_item.added', (reader, event) => reader.addItem(event, objectOf(event['item']))],
  ['response.output_text.delta', (reader, event) => reader.say(event)],
  ['response.output_text.done', (reader, event) => reader.endText(event)],
  ['response.output_text.annotation.added', (reader, event) => reader.cite(objectOf(event['annotation']))],
  ['response.refusal.delta', (reader, event) => reader.refuse(event)],
  ['response.refusal.done', (reader, event) => reader.endText(event)],
  ['response.reasoning_summary_text.delta', (reader, event) => reader.reason(event, 'summary_index')],
  ['response.reasoning_text.delta', (reader, event) => reader.reason(event, 'content_index')],
  ['response.function_call_arguments.delta', (reader, event) => reader.addInput(event)],
  ['response.custom_tool_call_input.delta', (reader, event) => reader.addInput(event)],
  ['response.output_item.done', (reader, event) => reader.finishItem(event, objectOf(event['item']))],
  ['response.completed', (reader, { response }) => reader.end(objectOf(response))],
  ['response.incomplete', (reader, { response }) => reader.end(objectOf(response))],
  ['response.failed', (_, { response }) => fault(objectOf(response)['error'])],
  ['error', (_, event) => fault(event['error'] ?? event)],
]);

function fault(error: unknown): never {
  throw new ProviderFault('the stream holds an error', error);
}

/** Reads the events of one response, and keeps its items. */
export class ResponsesReader implements ChunkReader<unknown> {
  #response: ModelResponse | undefined;
  #hasRefusal = false;
  #hasCalls = false;
  readonly #openTexts = new Set<string>();
  /** Reasoning that has begun: the number of its part that is being told. */
  readonly #openReasoning = new Map<string, unknown>();
  readonly #callIds = new Map<string, string>();
  readonly #items = new Map<string, WireObject>();

  *take(event: unknown): Iterable<ModelEvent> {
    if (!isObject(event)) return;
    yield* eventReaders.get(textOf(event['type']))?.(this, event) ?? [];
  }

  /** The last event says that the response is whole. */
  close(): Iterable<ModelEvent> {
    return [];
  }

  *start({ id, model }: WireObject): Iterable<ModelEvent> {
    if (this.#response) return;
    this.#response = {
      ...(typeof id === 'string' && { id }),
      ...(typeof model === 'string' && { model }),
    };
    yield { type: 'response-start', response: this.#response };
  }

  *addItem(event: WireObject, item: WireObject): Iterable<ModelEvent> {
    const events = itemKind(item).start(item);
    if (events.length > 0) this.#callIds.set(keyOf(event), textOf(item['call_id']));
    yield* events;
  }

  *say(event: WireObject): Iterable<ModelEvent> {
    const id = textIdOf(event);
    if (!this.#openTexts.has(id)) {
      this.#openTexts.add(id);
      yield { type: 'text-start', id };
    }
    yield { type: 'text-delta', id, text: textOf(event['delta']) };
  }

  refuse(event: WireObject): Iterable<ModelEvent> {
    this.#hasRefusal = true;
    return this.say(event);
  }

  *endText(event: WireObject): Iterable<ModelEvent> {
    const id = textIdOf(event);
    if (this.#openTexts.delete(id)) yield { type: 'text-end', id };
  }

  *cite({ url, title }: WireObject): Iterable<ModelEvent> {
    if (typeof url !== 'string') return;
    yield { type: 'source', url, ...(typeof title === 'string' && { title }) };
  }

  /** Parts of one reasoning are paragraphs of it. */
  *reason(event: WireObject, part: string): Iterable<ModelEvent> {
    const id = keyOf(event);
    const number = `${part} ${String(event[part])}`;
    const isNext = this.#openReasoning.has(id) && this.#openReasoning.get(id) !== number;
    if (!this.#openReasoning.has(id)) yield { type: 'reasoning-start', id };
    this.#openReasoning.set(id, number);
    const text = textOf(event['delta']);
    yield { type: 'reasoning-delta', id, text: isNext ? `\n\n${text}` : text };
  }

  *addInput(event: WireObject): Iterable<ModelEvent> {
    const callId = this.#callIds.get(keyOf(event));
    const text = textOf(event['delta']);
    if (callId !== undefined && text !== '') yield { type: 'tool-input-delta', callId, text };
  }

  *finishItem(event: WireObject, item: WireObject): Iterable<ModelEvent> {
    const key = keyOf(event);
    if (this.#items.has(key)) return;
    this.#items.set(key, item);
    if (item['type'] === 'reasoning') yield* this.#endReasoning(key, item);
    const kind = itemKind(item);
    const isNew = !this.#callIds.has(key);
    if (isNew) yield* kind.start(item);
    for (const told of kind.done(item, `item-${key}`)) {
      if (told.type === 'call' && !told.call.isProviderExecuted) this.#hasCalls = true;
      yield told;
    }
  }

  *#endReasoning(id: string, item: WireObject): Iterable<ModelEvent> {
    const secret = secretOf(item);
    if (!this.#openReasoning.delete(id)) {
      yield { type: 'reasoning-start', id };
      yield { type: 'reasoning-delta', id, text: reasoningText(item) };
    }
    yield { type: 'reasoning-end', id, ...(secret !== undefined && { secret }) };
  }

  *end(response: WireObject): Iterable<ModelEvent> {
    yield* this.start(response);
    // Some servers tell the items only here.
    if (this.#items.size === 0) {
      for (const [index, item] of listOf(response['output']).entries()) {
        yield* this.finishItem({ output_index: index }, objectOf(item));
      }
    }
    const status = textOf(response['status']);
    const reason = textOf(objectOf(response['incomplete_details'])['reason']);
    const { usage: told } = response;
    const usage = withTotal(responsesUsage(told), objectOf(told));
    yield {
      type: 'end',
      finish: this.#finish(status, reason),
      finishReason: reason || status,
      ...(usage && { usage }),
      messages: sendableItems([...this.#items.values()]),
      response: this.#response ?? {},
    };
  }

  #finish(status: string, reason: string): ModelFinish {
    if (status === 'incomplete') return finishReasons.responses[reason] ?? 'other';
    if (this.#hasRefusal) return 'refusal';
    return this.#hasCalls ? 'tool-calls' : 'stop';
  }
}

function keyOf({ output_index: index, item_id: id }: WireObject): string {
  return typeof index === 'number' ? String(index) : textOf(id);
}

function textIdOf(event: WireObject): string {
  return `${keyOf(event)}.${countOf(event['content_index'])}`;
}
