import { anthropicCodec, openaiChatCodec, openaiResponsesCodec } from '@throughline/core';
import { isObject } from '@throughline/core/codec';
import { listOf, textOf } from '@throughline/core/internal';
import type { Codec } from '@throughline/core';
import type { DialectName } from '../stream/dialect-streams.ts';
import type { WireObject } from '@throughline/core/internal';

/** What of a request lies outside its messages. */
interface OutsideParts {
  readonly system?: string;
  readonly tools?: readonly unknown[];
}

/** One of the wire APIs whose conversations are managed, as data. */
export interface Dialect {
  readonly name: DialectName;
  /** Behind the version. */
  readonly path: string;
  readonly codec: Codec;
  readonly messagesKey: 'messages' | 'input';
  /** Where a request limits its answer: the first that it has counts, and the first is written where it has none. */
  readonly maxTokensKeys: readonly [string, ...string[]];
  readonly outside: (body: WireObject) => OutsideParts;
  /** Why its context cannot be managed; `undefined` where it can. */
  readonly unmanaged: (body: WireObject) => string | undefined;
  /** What a body is to have so that its stream tells usage; `undefined` where it does so anyway. */
  readonly askingForUsage: (body: WireObject) => WireObject | undefined;
  /** Its answer may be stopped in plain text and continued: there is one of it, and no structure that text would break. */
  readonly canContinue: (body: WireObject) => boolean;
}

const chat: Dialect = {
  name: 'chat',
  path: '/chat/completions',
  codec: openaiChatCodec,
  messagesKey: 'messages',
  maxTokensKeys: ['max_completion_tokens', 'max_tokens'],
  outside: ({ tools, functions }) => ({ tools: [...listOf(tools), ...listOf(functions)] }),
  unmanaged: () => undefined,
  askingForUsage: ({ stream, stream_options: given }) => {
    const options = isObject(given) ? given : {};
    if (stream !== true || options['include_usage'] === true) return undefined;
    return { stream_options: { ...options, include_usage: true } };
  },
  canContinue: ({ n, response_format: format, logprobs, audio }) =>
    (n === undefined || n === null || n === 1) &&
    !isStructured(format) &&
    logprobs !== true &&
    !isObject(audio),
};

const messages: Dialect = {
  name: 'messages',
  path: '/messages',
  codec: anthropicCodec,
  messagesKey: 'messages',
  maxTokensKeys: ['max_tokens'],
  outside: ({ system, tools }) => ({ system: systemText(system), tools: listOf(tools) }),
  unmanaged: () => undefined,
  askingForUsage: () => undefined,
  canContinue: ({ output_config: output, output_format: format }) =>
    !isStructured(isObject(output) ? output['format'] : undefined) && !isStructured(format),
};

const responses: Dialect = {
  name: 'responses',
  path: '/responses',
  codec: openaiResponsesCodec,
  messagesKey: 'input',
  maxTokensKeys: ['max_output_tokens'],
  outside: ({ instructions, tools }) => ({ system: textOf(instructions), tools: listOf(tools) }),
  unmanaged: ({ previous_response_id: previous, conversation, input }) => {
    if (typeof previous === 'string') return 'the server holds the history (previous_response_id)';
    if (conversation !== undefined && conversation !== null)
      return 'the server holds the history (conversation)';
    const refers = listOf(input).some((item) => isObject(item) && item['type'] === 'item_reference');
    return refers ? 'the server holds part of the history (item_reference)' : undefined;
  },
  askingForUsage: () => undefined,
  canContinue: ({ text }) => !isStructured(isObject(text) ? text['format'] : undefined),
};

export const dialects: Readonly<Record<DialectName, Dialect>> = { chat, messages, responses };

/** The dialect whose answers are asked for at this path, which stands behind the version. */
export function dialectAt(path: string): Dialect | undefined {
  return Object.values(dialects).find((dialect) => dialect.path === path);
}

function isStructured(format: unknown): boolean {
  const type = isObject(format) ? format['type'] : undefined;
  return typeof type === 'string' && type !== 'text';
}

// Claude Code puts a line there that changes from request to request, and that is no instruction.
const billingLine = 'x-anthropic-billing-header:';

function systemText(system: unknown): string {
  if (typeof system === 'string') return system;
  return listOf(system)
    .map((block) => (isObject(block) ? textOf(block['text']) : ''))
    .filter((text) => !text.startsWith(billingLine))
    .join('\n');
}

/** What the request lets its answer be at most, in tokens. */
export function maxTokensOf({ maxTokensKeys }: Dialect, body: WireObject): number | undefined {
  const stated = maxTokensKeys.map((key) => body[key]).find((value) => typeof value === 'number');
  return typeof stated === 'number' && Number.isSafeInteger(stated) && stated > 0 ? stated : undefined;
}
