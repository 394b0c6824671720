import { checkOption, checkOptions, invalidOption, oneOfTexts } from '../errors/check-options.ts';
import { isObject } from '../json/json.ts';
import type { OptionCheck, OptionChecks } from '../errors/check-options.ts';
import type { RenderedMessage } from './render-view.ts';

/** A request as it is about to be sent, in parts. `system` and `tools` as the format has them. */
export interface CacheableRequest<Message> {
  readonly system?: unknown;
  readonly tools?: readonly unknown[];
  readonly messages: readonly RenderedMessage<Message>[];
}

/**
 * A request with cache marks. What got no mark is the object that was handed in; `system` and `tools` are absent where
 * none came in.
 */
export interface MarkedRequest<Message> {
  readonly system?: unknown;
  readonly tools?: readonly unknown[];
  readonly messages: readonly Message[];
}

/** How long the provider is asked to keep what is marked. */
export interface MarkOptions {
  /** @default '5m', the provider's own */
  readonly lifetime?: '5m' | '1h';
}

/** Most marks Anthropic accepts in one request, those of the client included. */
const maxMarks = 4;

/**
 * Puts Anthropic's cache marks where a prefix ends that the next request will repeat: on the newest message that is no
 * note, the system text, the tools and the summary, in this order of worth, at most four together with those that are
 * there already. Marks of the client stay where they are. Nothing handed in is changed; what gets no mark is the same object.
 *
 * @throws {ContextError} `invalid-option` for what is no request, and for another lifetime.
 */
export function markForCache(
  request: CacheableRequest<unknown>,
  options: MarkOptions = {},
): MarkedRequest<unknown> {
  if (!isObject(request)) throw invalidOption('request', 'an object with messages', request);
  checkOption('messages', renderedMessages, request.messages);
  checkOptions('', options, markOptions);
  const { system, tools, messages } = request;
  const { lifetime } = options;
  const mark: CacheMark = lifetime === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
  const sent = messages.map(({ message }) => message);
  let free = maxMarks - countMarks(tools) - countMarks(system) - sent.reduce<number>(addMessageMarks, 0);
  const spend = <Value>(value: Value, marked: Value | undefined): Value => {
    if (free <= 0 || marked === undefined || marked === value) return value;
    free -= 1;
    return marked;
  };
  // The newest message first: it is the mark that every next request profits from.
  const newest = messages.findLastIndex(({ source }) => source !== 'note');
  if (newest >= 0) sent[newest] = spend(sent[newest], withMark(sent[newest], mark));
  const markedSystem = spend(system, markedBlocks(system, mark));
  const markedTools = spend(tools, markedBlocks(tools, mark) as readonly unknown[] | undefined);
  const summary = messages.findLastIndex(({ source }) => source === 'written');
  const firstWritten = messages[summary - 1]?.source === 'written' ? summary - 1 : summary;
  if (firstWritten >= 0 && firstWritten !== newest)
    sent[firstWritten] = spend(sent[firstWritten], withMark(sent[firstWritten], mark));
  return {
    ...(system === undefined ? {} : { system: markedSystem }),
    ...(markedTools === undefined ? {} : { tools: markedTools }),
    messages: sent,
  };
}

const renderedMessages: OptionCheck = {
  expected: 'the messages that renderView returns',
  fits: (value) => Array.isArray(value) && value.every(isObject),
};

const markOptions: OptionChecks<MarkOptions> = { lifetime: oneOfTexts('5m', '1h') };

interface CacheMark {
  readonly type: 'ephemeral';
  readonly ttl?: '1h';
}

function isMarked(value: unknown): boolean {
  return isObject(value) && value['cache_control'] !== undefined && value['cache_control'] !== null;
}

/** Marks on the blocks of a list, and on those nested in its tool results. */
function countMarks(blocks: unknown): number {
  if (!Array.isArray(blocks)) return 0;
  return blocks.reduce<number>(
    (sum, block) => sum + (isMarked(block) ? 1 : 0) + (isObject(block) ? countMarks(block['content']) : 0),
    0,
  );
}

function addMessageMarks(sum: number, message: unknown): number {
  return sum + (isObject(message) ? countMarks(message['content']) : 0);
}

function withMark(message: unknown, mark: CacheMark): unknown {
  if (!isObject(message)) return undefined;
  const content = markedBlocks(message['content'], mark);
  return content === undefined || content === message['content'] ? undefined : { ...message, content };
}

/** Blocks that cannot carry a mark. */
const unmarkable = new Set(['thinking', 'redacted_thinking']);

function canCarryMark(block: unknown): boolean {
  if (!isObject(block) || isMarked(block) || unmarkable.has(String(block['type']))) return false;
  return block['type'] !== 'text' || block['text'] !== '';
}

/** The list with a mark on its last block that can carry one; `undefined` where none can, or where it has one. */
function markedBlocks(blocks: unknown, mark: CacheMark): unknown {
  if (typeof blocks === 'string') {
    return blocks === '' ? undefined : [{ type: 'text', text: blocks, cache_control: mark }];
  }
  if (!Array.isArray(blocks) || isMarked(blocks.at(-1))) return undefined;
  const at = blocks.findLastIndex(canCarryMark);
  return at < 0 ? undefined : blocks.with(at, { ...(blocks[at] as object), cache_control: mark });
}
