import { chatCalls } from './chat/chat-calls.ts';
import { ChatContinuation } from './chat/chat-continuation.ts';
import { joinChatUsage, withoutChatUsage } from './chat/chat-usage.ts';
import { ChatWatcher, readChatAnswer } from './chat/chat-watcher.ts';
import { firstPart } from './shared/continuation.ts';
import { messagesCalls } from './messages/messages-calls.ts';
import { MessagesContinuation } from './messages/messages-continuation.ts';
import { withInput } from './messages/messages-usage.ts';
import { MessagesWatcher, readMessagesAnswer } from './messages/messages-watcher.ts';
import { responsesCalls } from './responses/responses-calls.ts';
import { ResponsesContinuation } from './responses/responses-continuation.ts';
import { joinResponsesUsage } from './responses/responses-usage.ts';
import { readResponsesAnswer, ResponsesWatcher } from './responses/responses-watcher.ts';
import { countOf, listOf, objectOf, textOf } from '@throughline/core/internal';
import { isSaid } from './shared/stream-event.ts';
import type { CallRules } from './shared/said.ts';
import type { Continuation, Estimates } from './shared/continuation.ts';
import type { AnswerFacts, Position, WatcherOptions } from './shared/facts.ts';
import type { StreamEvent } from './shared/stream-event.ts';
import type { WireObject } from '@throughline/core/internal';

/** The wire APIs whose streams are understood. */
export type DialectName = 'chat' | 'messages' | 'responses';

/** Reads the events of one answer. */
export interface Watcher {
  readonly facts: AnswerFacts;
  take(event: StreamEvent): void;
  /** The same as to take an event that does nothing but add this text, behind one that did likewise. */
  say?(text: string): void;
  close(): void;
}

/**
 * Whether an event belongs to the end of an answer, which is held until it is known that the client shall have it:
 * `end` begins one or goes on with it, `beside` is held only where one has begun, `content` says that it was none.
 */
type Ending = 'end' | 'beside' | 'content';

/** What streams of a dialect are made of. */
export interface DialectStream {
  readonly createWatcher: (options: WatcherOptions) => Watcher;
  readonly createContinuation: () => Continuation;
  readonly readAnswer: (body: WireObject, options?: WatcherOptions) => AnswerFacts;
  readonly endingOf: (event: StreamEvent, position: Position) => Ending;
  /** The value with a prompt in its usage, where the upstream counted none; the same object where nothing is missing. */
  readonly withUsage: (value: WireObject, estimates: Estimates) => WireObject;
  /** What names the answer, out of an event that already says something; `undefined` where the start is its own event. */
  readonly headOf: (event: StreamEvent) => StreamEvent | undefined;
  /** Events in their order as they would be had nobody asked for usage. */
  readonly withoutUsage: (events: readonly StreamEvent[]) => readonly StreamEvent[];
  /**
   * What an event adds that does nothing but add text; what else it says is the same in all of them. Absent where each has
   * a number of its own.
   */
  readonly textOf?: (value: WireObject) => string | undefined;
  readonly calls: CallRules;
}

const chat: DialectStream = {
  createWatcher: (options) => new ChatWatcher(options),
  createContinuation: () => new ChatContinuation(),
  readAnswer: readChatAnswer,
  endingOf: ({ value, data, name }) => {
    if (data.trim() === '[DONE]' || name === 'error' || isSaid(value?.['error'])) return 'end';
    const choices = listOf(value?.['choices']).map(objectOf);
    if (choices.some((choice) => textOf(choice['finish_reason']) !== '')) return 'end';
    return choices.some((choice) => hasContent(objectOf(choice['delta']))) ? 'content' : 'beside';
  },
  withUsage: (value, estimates) => {
    const usage = objectOf(value['usage']);
    const isMissing = isSaid(value['usage']) && countOf(usage['prompt_tokens']) === 0;
    return isMissing && estimates.inputTokens > 0
      ? { ...value, usage: joinChatUsage(usage, firstPart(estimates)) }
      : value;
  },
  headOf: (event) => (event.value ? { ...event, value: { ...event.value, choices: [] } } : undefined),
  withoutUsage: withoutChatUsage,
  textOf: chatTextOf,
  calls: chatCalls,
};

const saysNoText = ['error', 'usage', 'x_groq', 'timings'] as const;

function chatTextOf(value: WireObject): string | undefined {
  const [choice, ...others] = listOf(value['choices']).map(objectOf);
  if (!choice || others.length > 0 || saysNoText.some((name) => isSaid(value[name]))) return undefined;
  if (countOf(choice['index']) > 0 || isSaid(choice['finish_reason']) || isSaid(choice['error']))
    return undefined;
  const { role: _, content, ...rest } = objectOf(choice['delta']);
  return typeof content === 'string' && !hasContent(rest) ? content : undefined;
}

function hasContent(delta: WireObject): boolean {
  return Object.entries(delta).some(([field, value]) => field !== 'role' && isSaid(value) && value !== '');
}

const endsOfMessage: ReadonlySet<unknown> = new Set(['message_delta', 'message_stop', 'error']);

const messages: DialectStream = {
  createWatcher: (options) => new MessagesWatcher(options),
  createContinuation: () => new MessagesContinuation(),
  readAnswer: readMessagesAnswer,
  endingOf: ({ value, name }, position) => {
    const type = value?.['type'] ?? name;
    if (endsOfMessage.has(type)) return 'end';
    if (type === 'content_block_stop') return position === 'plain-text' ? 'end' : 'content';
    return type === 'ping' ? 'beside' : 'content';
  },
  withUsage: (value, estimates) => {
    if (value['type'] !== 'message_start') return value;
    const message = objectOf(value['message']);
    const before = objectOf(message['usage']);
    const usage = withInput(before, estimates);
    return usage === before ? value : { ...value, message: { ...message, usage } };
  },
  headOf: () => undefined,
  withoutUsage: (events) => events,
  textOf: ({ type, delta }) => {
    const { type: kind, text } = objectOf(delta);
    return type === 'content_block_delta' && kind === 'text_delta' && typeof text === 'string'
      ? text
      : undefined;
  },
  calls: messagesCalls,
};

const endsOfResponse: ReadonlySet<unknown> = new Set([
  'response.output_text.done',
  'response.completed',
  'response.incomplete',
  'response.failed',
  'error',
]);

const responses: DialectStream = {
  createWatcher: (options) => new ResponsesWatcher(options),
  createContinuation: () => new ResponsesContinuation(),
  readAnswer: readResponsesAnswer,
  endingOf: ({ value, data, name }) => {
    const type = value?.['type'] ?? name;
    if (endsOfResponse.has(type) || data.trim() === '[DONE]') return 'end';
    if (type === 'response.content_part.done')
      return objectOf(value?.['part'])['type'] === 'output_text' ? 'end' : 'content';
    if (type === 'response.output_item.done')
      return objectOf(value?.['item'])['type'] === 'message' ? 'end' : 'content';
    return type === 'keepalive' ? 'beside' : 'content';
  },
  withUsage: (value, estimates) => {
    const response = objectOf(value['response']);
    const usage = objectOf(response['usage']);
    const isMissing = isSaid(response['usage']) && countOf(usage['input_tokens']) === 0;
    return isMissing && estimates.inputTokens > 0
      ? { ...value, response: { ...response, usage: joinResponsesUsage(usage, firstPart(estimates)) } }
      : value;
  },
  headOf: () => undefined,
  withoutUsage: (events) => events,
  calls: responsesCalls,
};

export const dialectStreams: Readonly<Record<DialectName, DialectStream>> = { chat, messages, responses };
