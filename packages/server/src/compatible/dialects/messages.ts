import { isObject } from '@throughline/core/codec';
import { joinPieces, joinTurns, mannerOf } from '../wire/dialect.ts';
import {
  contentAt,
  calledPart,
  fieldsAt,
  ignoredIn,
  listAt,
  mediaPart,
  plainText,
  resultPart,
  textAt,
  textPart,
} from '../wire/read-fields.ts';
import { badRequest } from '../wire/request-fault.ts';
import type { TokenUsage, UserPart } from '@throughline/agent';
import type {
  About,
  Dialect,
  Ended,
  Finish,
  FrameWriter,
  ModelAsk,
  AnswerPiece,
  Turn,
} from '../wire/dialect.ts';
import type { Fault, FaultKind } from '../wire/request-fault.ts';

/** Anthropic Messages. Reasoning is thinking, where the request asks for it. */
export const messagesDialect: Dialect = {
  path: '/messages',
  idPrefix: 'msg_',
  read: readMessages,
  write: (about) => new MessageFrames(about),
  whole(about, pieces, { finish, usage }) {
    return {
      ...messageOf(about),
      content: joinPieces(pieces).map(({ type, delta }) => ({
        ...emptyBlocks[type],
        [fieldOf[type]]: delta,
      })),
      stop_reason: stopReasons[finish],
      usage: messageUsage(usage),
    };
  },
  fault: anthropicFault,
};

const known: ReadonlySet<string> = new Set(['model', 'messages', 'system', 'stream', 'thinking', 'metadata']);

function readMessages(body: unknown): ModelAsk {
  const fields = fieldsAt(body, 'body');
  const { system, thinking } = fields;
  const instructions = system === undefined || system === null ? [] : [plainText(system)];
  const turns: Turn[] = [];
  for (const [index, message] of listAt(fields['messages'], 'messages').entries()) {
    const path = `messages[${index}]`;
    const { role, content } = fieldsAt(message, path);
    if (role === 'system') instructions.push(plainText(content));
    else if (role === 'user' || role === 'assistant')
      turns.push({ role, parts: contentAt(content, `${path}.content`, readBlock) });
    else throw badRequest(`${path}.role`, 'user, assistant or system');
  }
  const joined = joinTurns(turns);
  const last = joined.at(-1);
  if (last?.role !== 'user') throw badRequest('messages', 'a list that ends with a message of the user');
  const { type, display } = isObject(thinking) ? thinking : {};
  return {
    model: textAt(fields['model'], 'model'),
    instructions: instructions.filter((text) => text.trim() !== '').join('\n\n'),
    earlier: joined.slice(0, -1),
    content: last.parts,
    isStreamed: fields['stream'] === true,
    wantsReasoning: (type === 'enabled' || type === 'adaptive') && display !== 'omitted',
    wantsUsage: true,
    manner: mannerOf(fields),
    ignored: ignoredIn(fields, known),
  };
}

const unspoken: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

function readBlock(block: Readonly<Record<string, unknown>>, path: string): readonly UserPart[] {
  const { type, text, source, name, input, content, title } = block;
  if (type === 'text') return textPart(text);
  if (unspoken.has(type)) return [];
  if (type === 'tool_use' || type === 'server_tool_use') return [calledPart(name, input)];
  if (typeof type === 'string' && type.endsWith('tool_result')) return [resultPart(content)];
  if (type !== 'image' && type !== 'document')
    throw badRequest(`${path}.type`, 'text, image, document, tool_use or tool_result');
  const { type: kind, data, media_type: mediaType } = fieldsAt(source, `${path}.source`);
  if (kind === 'text') return textPart(data);
  // The server fetches no address that a request names.
  if (kind !== 'base64') throw badRequest(`${path}.source.type`, 'base64 or text');
  return [
    mediaPart(textAt(mediaType, `${path}.source.media_type`), textAt(data, `${path}.source.data`), title),
  ];
}

const stopReasons: Readonly<Record<Finish, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  refusal: 'refusal',
};

const emptyBlocks = {
  text: { type: 'text', text: '', citations: null },
  reasoning: { type: 'thinking', thinking: '', signature: '' },
} as const;
const fieldOf = { text: 'text', reasoning: 'thinking' } as const;

function messageOf({ id, model }: About): object {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

/** What came from the cache and went into it is counted apart, as Anthropic does. */
function messageUsage(usage: TokenUsage | undefined): object {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = usage ?? {};
  return {
    input_tokens: Math.max(0, input - cacheRead - cacheWrite),
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: output,
  };
}

const faultTypes: Readonly<Record<FaultKind, string>> = {
  'bad-request': 'invalid_request_error',
  unauthorized: 'authentication_error',
  forbidden: 'permission_error',
  'too-large': 'request_too_large',
  'not-found': 'not_found_error',
  'unknown-model': 'not_found_error',
  conflict: 'invalid_request_error',
  'context-length': 'invalid_request_error',
  rate: 'rate_limit_error',
  timeout: 'timeout_error',
  upstream: 'api_error',
  stopping: 'overloaded_error',
  server: 'api_error',
};

function anthropicFault({ kind, message }: Fault): object {
  return { type: 'error', error: { type: faultTypes[kind], message }, request_id: null };
}

class MessageFrames implements FrameWriter {
  readonly #about: About;
  #open: AnswerPiece['type'] | undefined;
  #index = -1;

  constructor(about: About) {
    this.#about = about;
  }

  begin(): string {
    const usage = {
      ...messageUsage(undefined),
      input_tokens: Math.max(1, this.#about.estimatedTokens),
      output_tokens: 1,
    };
    return frame('message_start', { message: { ...messageOf(this.#about), usage } });
  }

  take({ type, delta }: AnswerPiece): string {
    const opened = this.#open === type ? '' : `${this.#close()}${this.#begin(type)}`;
    const piece = { type: `${fieldOf[type]}_delta`, [fieldOf[type]]: delta };
    return `${opened}${frame('content_block_delta', { index: this.#index, delta: piece })}`;
  }

  end({ finish, usage }: Ended): string {
    const delta = { stop_reason: stopReasons[finish], stop_sequence: null };
    const said = this.#index < 0 ? this.#begin('text') : '';
    return `${said}${this.#close()}${frame('message_delta', { delta, usage: messageUsage(usage) })}${frame('message_stop', {})}`;
  }

  /** No clean end: the client sees that the answer is not whole. */
  fail(fault: Fault): string {
    return `event: error\ndata: ${JSON.stringify(anthropicFault(fault))}\n\n`;
  }

  #begin(type: AnswerPiece['type']): string {
    this.#open = type;
    this.#index += 1;
    return frame('content_block_start', { index: this.#index, content_block: emptyBlocks[type] });
  }

  #close(): string {
    if (this.#open === undefined) return '';
    this.#open = undefined;
    return frame('content_block_stop', { index: this.#index });
  }
}

function frame(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}
