import { hash } from 'node:crypto';
import { isObject, type WireObject } from '../../judge/wire-value.ts';
import { partOf, partsOf } from '../model/prompt-tokens.ts';
import type { AskedMessage } from '../model/scripted-answer.ts';
import {
  deltasOf,
  numberOf,
  objectsOf,
  sliceDeltas,
  textOfContent,
  type Dialect,
  type ReadRequest,
  type Refusal,
  type WireEvent,
  type Written,
} from './dialect.ts';

/** Anthropic Messages. */
export const messages: Dialect = {
  path: '/v1/messages',
  countPath: '/v1/messages/count_tokens',
  list: 'messages',
  read,
  events,
  body,
  count: (tokens) => ({ input_tokens: tokens }),
  refusal,
  errorEvent: (fault) => event(refusal(fault)),
};

/** Thinking comes back with the signature it went out with, or has been edited. */
export function signatureOf(thinking: string): string {
  return `signed-${hash('sha1', thinking)}`;
}

function read(from: WireObject): ReadRequest {
  const list = objectsOf(from['messages']);
  const tools = objectsOf(from['tools']);
  const { system } = from;
  const parts = [
    ...tools.map((tool) => partOf(-1, 'tool', tool, true)),
    ...(system === undefined ? [] : partsOf(-1, 'system', system)),
    ...list.flatMap(({ role, content }, index) => partsOf(index, String(role), content)),
  ];
  // A mark on the request itself stands on its last block.
  const last = parts.at(-1);
  if (last && isObject(from['cache_control'])) parts.splice(-1, 1, { ...last, isMarked: true });
  return {
    model: String(from['model']),
    isStreaming: from['stream'] === true,
    maxTokens: numberOf(from['max_tokens']),
    wantsUsage: true,
    messages: list.map(askedMessage),
    toolNames: tools.map(({ name }) => String(name)),
    parts,
  };
}

function askedMessage({ role, content }: WireObject, at: number): AskedMessage {
  const blocks = objectsOf(content);
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const isOnlyResults = results.length > 0 && results.length === blocks.length;
  if (isOnlyResults) {
    return { at, role: 'tool', text: textOfContent(results.at(-1)?.['content']), calls: [] };
  }
  return {
    at,
    role: role === 'assistant' || role === 'system' ? role : 'user',
    text: textOfContent(content),
    calls: blocks.flatMap(({ type, name }) => (type === 'tool_use' ? [String(name)] : [])),
  };
}

function usageOf({ answer, use }: Written, outputTokens = answer.tokens): WireObject {
  return {
    input_tokens: use.prompt - use.read - use.created,
    cache_creation_input_tokens: use.created,
    cache_read_input_tokens: use.read,
    output_tokens: outputTokens,
  };
}

const noUsage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

function stopReason({ answer, wall }: Written): string {
  const words = {
    stop: 'end_turn',
    calls: 'tool_use',
    length: 'max_tokens',
    wall: wall.messages,
    refusal: 'refusal',
  };
  return words[answer.finish];
}

function event(value: WireObject): WireEvent {
  return { event: String(value['type']), data: JSON.stringify(value) };
}

interface WrittenBlock {
  readonly start: WireObject;
  readonly deltas: readonly WireObject[];
  readonly whole: WireObject;
}

function blocksOf({ answer, form }: Written): readonly WrittenBlock[] {
  const { reasoning, text, calls } = answer;
  const signature = signatureOf(reasoning);
  const thinking: WrittenBlock = {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...deltasOf(reasoning).map((delta) => ({ type: 'thinking_delta', thinking: delta })),
      { type: 'signature_delta', signature },
    ],
    whole: { type: 'thinking', thinking: reasoning, signature },
  };
  const said: WrittenBlock = {
    start: { type: 'text', text: '' },
    deltas: deltasOf(text).map((delta) => ({ type: 'text_delta', text: delta })),
    whole: { type: 'text', text },
  };
  const called = calls.map(({ id, name, arguments: json }): WrittenBlock => {
    const slices = form.hasWholeArguments ? [json] : sliceDeltas(json);
    return {
      start: { type: 'tool_use', id, name, input: {} },
      deltas: slices.map((slice) => ({ type: 'input_json_delta', partial_json: slice })),
      whole: { type: 'tool_use', id, name, input: inputOf(json) },
    };
  });
  return [...(reasoning === '' ? [] : [thinking]), ...(text === '' ? [] : [said]), ...called];
}

/** Arguments that a limit cut are no JSON, and the real one then gives what it could read. */
function inputOf(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return {};
  }
}

function messageOf(written: Written, usage: WireObject): WireObject {
  return {
    id: written.id,
    type: 'message',
    role: 'assistant',
    model: written.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
}

function events(written: Written): WireEvent[] {
  const { form } = written;
  const blocks = blocksOf(written).flatMap(({ start, deltas }, index) => [
    event({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ]);
  const atStart = form.hasZeroUsageAtStart ? noUsage : usageOf(written, 1);
  return [
    event({ type: 'message_start', message: messageOf(written, atStart) }),
    event({ type: 'ping' }),
    ...blocks,
    event({
      type: 'message_delta',
      delta: { stop_reason: stopReason(written), stop_sequence: null },
      usage: usageOf(written),
    }),
    ...(form.hasNoEnd ? [] : [event({ type: 'message_stop' })]),
  ];
}

function body(written: Written): WireObject {
  return {
    ...messageOf(written, usageOf(written)),
    content: blocksOf(written).map(({ whole }) => whole),
    stop_reason: stopReason(written),
  };
}

function refusal({ message, type }: Refusal): WireObject {
  return { type: 'error', error: { type: type ?? 'invalid_request_error', message } };
}
