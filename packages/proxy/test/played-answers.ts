import type { DialectName } from '../src/stream/dialect-streams.ts';

/** A part of an answer as a model says it: the pieces are told one by one. */
export type Said =
  | { readonly type: 'reasoning'; readonly pieces: readonly string[] }
  | { readonly type: 'text'; readonly pieces: readonly string[] }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly pieces: readonly string[] };

export interface PlayedAnswer {
  readonly id: string;
  readonly parts: readonly Said[];
  readonly finish: 'stop' | 'length' | 'calls';
  readonly inputTokens: number;
  readonly outputTokens: number;
}

interface Told {
  readonly text: string;
  /** How many pieces of text the answer has told with this event. */
  readonly texts: number;
}

type Event = readonly [name: string | undefined, value: unknown];

/** The events of an answer as its server sends them. */
export function play(dialect: DialectName, answer: PlayedAnswer): readonly Told[] {
  let texts = 0;
  return [...players[dialect](answer)].map(([name, value]) => {
    if (isText(value)) texts += 1;
    const data = typeof value === 'string' ? value : JSON.stringify(value);
    return { text: `${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`, texts };
  });
}

export function bytesOf(events: readonly Told[]): Uint8Array {
  return new TextEncoder().encode(events.map(({ text }) => text).join(''));
}

function isText(value: unknown): boolean {
  const text = JSON.stringify(value);
  return /"delta":\{"content"|"text_delta"|"response\.output_text\.delta"/.test(text);
}

const players: Readonly<Record<DialectName, (answer: PlayedAnswer) => Generator<Event>>> = {
  chat: playChat,
  messages: playMessages,
  responses: playResponses,
};

const joined = ({ pieces }: Said): string => pieces.join('');

function* playChat({ id, parts, finish, inputTokens, outputTokens }: PlayedAnswer): Generator<Event> {
  const head = {
    id,
    object: 'chat.completion.chunk',
    created: 1_700_000_000 + id.length,
    model: `model of ${id}`,
  };
  const chunk = (delta: object, reason: string | null = null): Event => [
    undefined,
    { ...head, choices: [{ index: 0, delta, finish_reason: reason }] },
  ];
  yield chunk({ role: 'assistant', content: '' });
  let calls = 0;
  for (const part of parts) {
    if (part.type === 'call') {
      const call = {
        index: calls,
        id: part.id,
        type: 'function',
        function: { name: part.name, arguments: '' },
      };
      yield chunk({ tool_calls: [call] });
      for (const piece of part.pieces)
        yield chunk({ tool_calls: [{ index: calls, function: { arguments: piece } }] });
      calls += 1;
    } else
      for (const piece of part.pieces)
        yield chunk(part.type === 'text' ? { content: piece } : { reasoning_content: piece });
  }
  yield chunk({}, finish === 'calls' ? 'tool_calls' : finish);
  const usage = {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
  yield [undefined, { ...head, choices: [], usage }];
  yield [undefined, '[DONE]'];
}

const stopReasons = { stop: 'end_turn', length: 'max_tokens', calls: 'tool_use' };

function* playMessages({ id, parts, finish, inputTokens, outputTokens }: PlayedAnswer): Generator<Event> {
  const named = (type: string, value: object): Event => [type, { type, ...value }];
  const usage = { input_tokens: inputTokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model: `model of ${id}`,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  yield named('message_start', { message });
  yield named('ping', {});
  for (const [index, part] of parts.entries()) {
    const blocks = {
      text: { type: 'text', text: '' },
      reasoning: { type: 'thinking', thinking: '', signature: '' },
      call: {
        type: 'tool_use',
        id: part.type === 'call' ? part.id : '',
        name: part.type === 'call' ? part.name : '',
        input: {},
      },
    };
    yield named('content_block_start', { index, content_block: blocks[part.type] });
    for (const piece of part.pieces) {
      const deltas = {
        text: { type: 'text_delta', text: piece },
        reasoning: { type: 'thinking_delta', thinking: piece },
        call: { type: 'input_json_delta', partial_json: piece },
      };
      yield named('content_block_delta', { index, delta: deltas[part.type] });
    }
    yield named('content_block_stop', { index });
  }
  const delta = { stop_reason: stopReasons[finish], stop_sequence: null };
  yield named('message_delta', { delta, usage: { output_tokens: outputTokens } });
  yield named('message_stop', {});
}

function* playResponses(answer: PlayedAnswer): Generator<Event> {
  const { id, parts, finish, inputTokens, outputTokens } = answer;
  let sequence = 0;
  const named = (type: string, value: object): Event => [
    type,
    { type, sequence_number: sequence++, ...value },
  ];
  const response = {
    id,
    object: 'response',
    created_at: 1_700_000_000 + id.length,
    model: `model of ${id}`,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
  yield named('response.created', { response });
  yield named('response.in_progress', { response });
  const isCut = finish === 'length';
  const output: object[] = [];
  for (const [index, part] of parts.entries()) {
    const isOpen = isCut && index === parts.length - 1;
    const item: object = yield* playItem({ part, index, isOpen, answerId: id }, named);
    output.push(item);
  }
  const usage = {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
  const end = {
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output,
    usage,
  };
  yield named(isCut ? 'response.incomplete' : 'response.completed', { response: { ...response, ...end } });
}

interface PlayedItem {
  readonly part: Said;
  readonly index: number;
  readonly answerId: string;
  /** The answer ends inside of it. */
  readonly isOpen: boolean;
}

function* playItem(
  { part, index, answerId, isOpen }: PlayedItem,
  named: (type: string, value: object) => Event,
): Generator<Event, object> {
  const at = { output_index: index };
  const text = joined(part);
  if (part.type === 'call') {
    const id = `fc_${part.id}`;
    const item = {
      type: 'function_call',
      id,
      call_id: part.id,
      name: part.name,
      arguments: '',
      status: 'in_progress',
    };
    yield named('response.output_item.added', { ...at, item });
    for (const delta of part.pieces)
      yield named('response.function_call_arguments.delta', { ...at, item_id: id, delta });
    yield named('response.function_call_arguments.done', {
      ...at,
      item_id: id,
      name: part.name,
      arguments: text,
    });
    const whole = { ...item, arguments: text, status: 'completed' };
    yield named('response.output_item.done', { ...at, item: whole });
    return whole;
  }
  if (part.type === 'reasoning') {
    const id = `rs_${answerId}_${index}`;
    const item = { type: 'reasoning', id, summary: [] };
    yield named('response.output_item.added', { ...at, item });
    const place = { ...at, item_id: id, summary_index: 0 };
    yield named('response.reasoning_summary_part.added', {
      ...place,
      part: { type: 'summary_text', text: '' },
    });
    for (const delta of part.pieces)
      yield named('response.reasoning_summary_text.delta', { ...place, delta });
    yield named('response.reasoning_summary_text.done', { ...place, text });
    yield named('response.reasoning_summary_part.done', { ...place, part: { type: 'summary_text', text } });
    const whole = { ...item, summary: [{ type: 'summary_text', text }] };
    yield named('response.output_item.done', { ...at, item: whole });
    return whole;
  }
  const id = `msg_${answerId}_${index}`;
  const item = { type: 'message', id, role: 'assistant', status: 'in_progress', content: [] };
  const place = { ...at, item_id: id, content_index: 0 };
  const empty = { type: 'output_text', text: '', annotations: [], logprobs: [] };
  yield named('response.output_item.added', { ...at, item });
  yield named('response.content_part.added', { ...place, part: empty });
  for (const delta of part.pieces)
    yield named('response.output_text.delta', { ...place, delta, logprobs: [] });
  yield named('response.output_text.done', { ...place, text, logprobs: [] });
  yield named('response.content_part.done', { ...place, part: { ...empty, text } });
  const status = isOpen ? 'incomplete' : 'completed';
  const whole = { ...item, status, content: [{ ...empty, text }] };
  yield named('response.output_item.done', { ...at, item: whole });
  return whole;
}
