import { errorMessage } from '@throughline/core/internal';
import type { Json } from '@throughline/core/codec';
import type { ModelEvent, ModelFinish, StepEnd } from '@throughline/ports';
import type { LanguageModelUsage, TextStreamPart, ToolSet } from 'ai';
import { ProviderFault } from '../stream/run-stream.ts';
import type { ChunkReader } from '../stream/run-stream.ts';
import { isObject, listOf, parseArguments, textOf } from '../stream/wire-value.ts';
import type { WireObject } from '../stream/wire-value.ts';

type Part = TextStreamPart<ToolSet>;
type PartReaders = {
  readonly [Type in Part['type']]?: (
    reader: AiSdkReader,
    part: Extract<Part, { type: Type }>,
  ) => Iterable<ModelEvent>;
};

/** One short function per part; what is not listed says nothing (`ping`), or is about tools the SDK runs itself. */
const partReaders: PartReaders = {
  'text-start': (_, { id }) => [{ type: 'text-start', id }],
  'text-delta': (_, { id, text }) => [{ type: 'text-delta', id, text }],
  'text-end': (_, { id }) => [{ type: 'text-end', id }],
  'reasoning-start': (_, { id }) => [{ type: 'reasoning-start', id: `reasoning-${id}` }],
  'reasoning-delta': (_, { id, text }) => [{ type: 'reasoning-delta', id: `reasoning-${id}`, text }],
  'reasoning-end': (_, { id, providerMetadata: secret }) => [
    {
      type: 'reasoning-end',
      id: `reasoning-${id}`,
      ...(secret && { secret: secret as unknown as Json }),
    },
  ],
  'tool-input-start': (reader, { id, toolName, providerExecuted }) =>
    reader.startInput(id, toolName, providerExecuted === true),
  'tool-input-delta': (reader, { id, delta }) => reader.addInput(id, delta),
  'tool-call': (reader, call) => reader.call(call),
  'tool-result': (_, { toolCallId: callId, toolName: name, output, preliminary }) =>
    preliminary === true
      ? []
      : [{ type: 'provider-result', callId, name, output: output as Json, isError: false }],
  'tool-error': (reader, part) => reader.toolError(part),
  source: (_, part) =>
    part.sourceType === 'url'
      ? [{ type: 'source', url: part.url, ...(part.title !== undefined && { title: part.title }) }]
      : [],
  file: (_, { file }) => [{ type: 'file', mediaType: file.mediaType, base64: file.base64 }],
  'finish-step': (reader, part) => reader.finish(part),
  error: (_, { error }) => fault(error),
  abort: (_, { reason }) => fault(reason ?? 'aborted'),
};

function fault(error: unknown): never {
  throw error instanceof Error ? error : new ProviderFault('the stream holds an error', error);
}

const finishes: Readonly<Record<string, ModelFinish>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'refusal',
  'tool-calls': 'tool-calls',
};
/** What the SDK has no word for. */
const rawFinishes: Readonly<Record<string, ModelFinish>> = {
  pause_turn: 'paused',
  model_context_window_exceeded: 'window-full',
};

/** Reads the parts of one step of `streamText`. */
export class AiSdkReader implements ChunkReader<Part> {
  /** Where the SDK tells the messages of the response. */
  messagesOf: () => PromiseLike<readonly unknown[]> = () => Promise.resolve([]);
  #last: Omit<StepEnd, 'messages'> | undefined;
  readonly #inputs = new Map<string, string[]>();
  readonly #providerCalls = new Set<string>();
  /** Calls that nobody can run, as the model wrote them: the SDK leaves that out of its messages. */
  readonly #invalid = new Map<string, string>();

  *take(part: Part): Iterable<ModelEvent> {
    const read = partReaders[part.type] as
      | ((reader: AiSdkReader, part: Part) => Iterable<ModelEvent>)
      | undefined;
    yield* read?.(this, part) ?? [];
  }

  *startInput(callId: string, name: string, isProviderExecuted: boolean): Iterable<ModelEvent> {
    this.#inputs.set(callId, []);
    yield { type: 'tool-input-start', callId, name, isProviderExecuted };
  }

  *addInput(callId: string, text: string): Iterable<ModelEvent> {
    this.#inputs.get(callId)?.push(text);
    if (text !== '') yield { type: 'tool-input-delta', callId, text };
  }

  /** The call follows the end of its input, which some providers leave out, with the start. */
  *call(part: Extract<Part, { type: 'tool-call' }>): Iterable<ModelEvent> {
    const { toolCallId: callId, toolName: name, providerExecuted } = part;
    const isProviderExecuted = providerExecuted === true;
    if (isProviderExecuted) this.#providerCalls.add(callId);
    if (!this.#inputs.has(callId)) yield* this.startInput(callId, name, isProviderExecuted);
    yield { type: 'tool-input-end', callId };
    const given: unknown = part.input;
    const inputText = typeof given === 'string' ? given : (JSON.stringify(given) ?? '');
    const streamed = this.#inputs.get(callId)?.join('') ?? '';
    const parsed = parseArguments(inputText);
    if (parsed.isInvalid) this.#invalid.set(callId, streamed || inputText);
    yield {
      type: 'call',
      call: { callId, name, ...parsed, inputText: streamed || inputText, isProviderExecuted },
    };
  }

  /** The SDK makes an error of its own of a call that nobody can run: that is the runtime's affair. */
  *toolError(part: Extract<Part, { type: 'tool-error' }>): Iterable<ModelEvent> {
    const { toolCallId: callId, toolName: name, error } = part;
    if (!this.#providerCalls.has(callId)) return;
    const output = errorMessage(error);
    yield { type: 'provider-result', callId, name, output, isError: true };
  }

  finish(part: Extract<Part, { type: 'finish-step' }>): Iterable<ModelEvent> {
    const { finishReason, rawFinishReason, usage, response } = part;
    if (finishReason === 'error')
      throw new ProviderFault(`the model ended with an error: ${rawFinishReason ?? ''}`);
    // What the SDK says when the stream ended without a last word.
    if (finishReason === 'other' && rawFinishReason === undefined && usage.totalTokens === undefined)
      return [];
    const told = usageOf(usage);
    this.#last = {
      type: 'end',
      finish: rawFinishes[rawFinishReason ?? ''] ?? finishes[finishReason] ?? 'other',
      finishReason: rawFinishReason ?? finishReason,
      ...(told && { usage: told }),
      response: { id: response.id, model: response.modelId },
    };
    return [];
  }

  async close(): Promise<Iterable<ModelEvent>> {
    if (!this.#last) return [];
    const messages = (await this.messagesOf())
      .map((message) => this.#sendable(message))
      .filter((message) => message !== undefined);
    return [{ ...this.#last, messages }];
  }

  /** The assistant's messages; what the SDK answers to calls nobody can run is left out, as is what says nothing. */
  #sendable(message: unknown): WireObject | undefined {
    if (!isObject(message) || message['role'] !== 'assistant') return undefined;
    const { content } = message;
    if (typeof content === 'string') return content.trim() === '' ? undefined : message;
    const parts = listOf(content)
      .filter(isSaid)
      .map((part) => this.#wellArgued(part));
    const hasMore = parts.some((part) => isObject(part) && part['type'] !== 'reasoning');
    return hasMore ? { ...message, content: parts } : undefined;
  }

  #wellArgued(part: unknown): unknown {
    if (!isObject(part) || part['type'] !== 'tool-call') return part;
    const written = this.#invalid.get(textOf(part['toolCallId']));
    return written === undefined ? part : { ...part, input: { INVALID_JSON: written } };
  }
}

function usageOf(usage: LanguageModelUsage): StepEnd['usage'] {
  const { inputTokens, outputTokens, totalTokens, inputTokenDetails, outputTokenDetails } = usage;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    reasoningTokens: outputTokenDetails.reasoningTokens ?? 0,
    cacheReadTokens: inputTokenDetails.cacheReadTokens ?? 0,
    cacheWriteTokens: inputTokenDetails.cacheWriteTokens ?? 0,
    totalTokens: totalTokens ?? (inputTokens ?? 0) + (outputTokens ?? 0),
  };
}

function isSaid(part: unknown): boolean {
  return !isObject(part) || part['type'] !== 'text' || textOf(part['text']).trim() !== '';
}
