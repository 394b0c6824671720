import { hash } from 'node:crypto';
import { isObject, textOf, type WireObject } from '../../judge/wire-value.ts';
import { partOf, partsOf, type PromptPart } from '../model/prompt-tokens.ts';
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

/** OpenAI Responses. */
export const responses: Dialect = {
  path: '/v1/responses',
  countPath: '/v1/responses/input_tokens',
  list: 'input',
  read,
  events,
  body,
  count: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  refusal: ({ message, type, code, param }) => ({
    error: { message, type: type ?? 'invalid_request_error', param: param ?? null, code: code ?? null },
  }),
  errorEvent,
};

/** A response that failed after it had begun. */
function errorEvent({ message, code }: Refusal): WireEvent {
  const error = { code: code ?? 'server_error', message };
  const response = {
    id: 'resp_failed',
    object: 'response',
    status: 'failed',
    error,
    output: [],
    usage: null,
  };
  const data = JSON.stringify({ type: 'response.failed', sequence_number: 2, response });
  return { event: 'response.failed', data };
}

function itemsOf(input: unknown): readonly WireObject[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : objectsOf(input);
}

function read(from: WireObject): ReadRequest {
  const items = itemsOf(from['input']);
  const tools = objectsOf(from['tools']);
  const { instructions } = from;
  const said = typeof instructions === 'string' ? [instructions] : [];
  return {
    model: String(from['model']),
    isStreaming: from['stream'] === true,
    maxTokens: numberOf(from['max_output_tokens']),
    wantsUsage: true,
    messages: items.flatMap(askedMessage),
    toolNames: tools.map(({ name, type }) => String(name ?? type)),
    parts: [
      ...tools.map((tool) => partOf(-1, 'tool', tool, true)),
      ...said.map((text) => partOf(-1, 'system', text, true)),
      ...items.flatMap(itemParts),
    ],
  };
}

/** Reasoning is no message; a call is a message of its own, as it is an item of its own. */
function askedMessage({ type, role, content, name, output }: WireObject, at: number): AskedMessage[] {
  if (type === undefined || type === 'message') {
    const as = role === 'assistant' || role === 'user' ? role : 'system';
    return [{ at, role: as, text: textOfContent(content), calls: [] }];
  }
  if (type === 'function_call' || type === 'custom_tool_call') {
    return [{ at, role: 'assistant', text: '', calls: [String(name)] }];
  }
  if (textOf(type).endsWith('_output')) return [{ at, role: 'tool', text: textOfContent(output), calls: [] }];
  return [];
}

function itemParts(item: WireObject, index: number): PromptPart[] {
  const { type, role, content } = item;
  const isMessage = type === undefined || type === 'message';
  return isMessage ? partsOf(index, String(role), content) : [partOf(index, textOf(type), item, true)];
}

function usageOf({ answer, use }: Written): WireObject {
  return {
    input_tokens: use.prompt,
    input_tokens_details: { cached_tokens: use.read },
    output_tokens: answer.tokens,
    output_tokens_details: { reasoning_tokens: answer.reasoningTokens },
    total_tokens: use.prompt + answer.tokens,
  };
}

/** An item of the answer, and the events between its `added` and its `done`. */
interface WrittenItem {
  readonly whole: WireObject;
  readonly opened: WireObject;
  readonly between: (base: WireObject) => readonly WireObject[];
}

function itemId(written: Written, prefix: string, at = 0): string {
  return `${prefix}_${hash('sha1', `${written.id} ${at}`)}`;
}

function reasoningItem(written: Written): WrittenItem {
  const text = written.answer.reasoning;
  const part = { type: 'summary_text', text };
  const id = itemId(written, 'rs');
  const item = { id, type: 'reasoning', encrypted_content: `sealed-${hash('sha1', text)}` };
  const kind = 'response.reasoning_summary';
  return {
    opened: { ...item, summary: [] },
    whole: { ...item, summary: [part] },
    between: (of) => {
      const base = { ...of, summary_index: 0 };
      return [
        { type: `${kind}_part.added`, ...base, part: { type: 'summary_text', text: '' } },
        ...deltasOf(text).map((delta) => ({ type: `${kind}_text.delta`, ...base, delta })),
        { type: `${kind}_text.done`, ...base, text },
        { type: `${kind}_part.done`, ...base, part },
      ];
    },
  };
}

function messageItem(written: Written): WrittenItem {
  const { text } = written.answer;
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
  const item = { id: itemId(written, 'msg'), type: 'message', role: 'assistant' };
  return {
    opened: { ...item, status: 'in_progress', content: [] },
    whole: { ...item, status: itemStatus(written), content: [part] },
    between: (of) => {
      const base = { ...of, content_index: 0 };
      return [
        { type: 'response.content_part.added', ...base, part: { ...part, text: '' } },
        ...deltasOf(text).map((delta) => ({
          type: 'response.output_text.delta',
          ...base,
          delta,
          logprobs: [],
        })),
        { type: 'response.output_text.done', ...base, text, logprobs: [] },
        { type: 'response.content_part.done', ...base, part },
      ];
    },
  };
}

function callItem(written: Written, at: number): WrittenItem {
  const call = written.answer.calls[at];
  const json = call?.arguments ?? '';
  const item = { id: itemId(written, 'fc', at), type: 'function_call', call_id: call?.id, name: call?.name };
  return {
    opened: { ...item, status: 'in_progress', arguments: '' },
    whole: { ...item, status: itemStatus(written), arguments: json },
    between: (base) => [
      ...(written.form.hasWholeArguments ? [] : sliceDeltas(json)).map((delta) => ({
        type: 'response.function_call_arguments.delta',
        ...base,
        delta,
      })),
      { type: 'response.function_call_arguments.done', ...base, name: call?.name, arguments: json },
    ],
  };
}

function itemStatus(written: Written): string {
  return endOf(written).status === 'incomplete' ? 'incomplete' : 'completed';
}

function endOf({ answer, wall }: Written): { status: string; incomplete_details: WireObject | null } {
  const reason = answer.finish === 'refusal' ? 'content_filter' : 'max_output_tokens';
  const isCut =
    answer.finish === 'length' ||
    answer.finish === 'refusal' ||
    (answer.finish === 'wall' && wall.responses === 'incomplete');
  return isCut
    ? { status: 'incomplete', incomplete_details: { reason } }
    : { status: 'completed', incomplete_details: null };
}

function writtenItems(written: Written): readonly WrittenItem[] {
  const { reasoning, text, calls } = written.answer;
  return [
    ...(reasoning === '' ? [] : [reasoningItem(written)]),
    ...(text === '' ? [] : [messageItem(written)]),
    ...calls.map((_, at) => callItem(written, at)),
  ];
}

function responseOf(written: Written, rest: WireObject): WireObject {
  return {
    id: written.id,
    object: 'response',
    created_at: 1_700_000_000,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: written.model,
    output: [],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: null,
    ...rest,
  };
}

function body(written: Written): WireObject {
  const output = writtenItems(written).map(({ whole }) => whole);
  return responseOf(written, { ...endOf(written), output, usage: usageOf(written) });
}

function events(written: Written): WireEvent[] {
  const begun = responseOf(written, {});
  const items = writtenItems(written).flatMap(({ opened, whole, between }, at) => [
    { type: 'response.output_item.added', output_index: at, item: opened },
    ...between({ item_id: whole['id'], output_index: at }),
    { type: 'response.output_item.done', output_index: at, item: whole },
  ]);
  const last = { type: `response.${endOf(written).status}`, response: body(written) };
  const all: readonly WireObject[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items,
    ...(written.form.hasNoEnd ? [] : [last]),
  ];
  return all.map((value, number) => ({
    event: String(value['type']),
    data: JSON.stringify({ ...value, sequence_number: number }),
  }));
}

/** Which reasoning each item of an answer was produced behind: the API wants both back, or neither. */
export function reasoningOfItems(written: Written): ReadonlyMap<string, string> {
  const [first, ...others] = written.answer.reasoning === '' ? [] : writtenItems(written);
  const following = others[0]?.whole['id'];
  return first && isObject(first.whole) && typeof following === 'string'
    ? new Map([[following, String(first.whole['id'])]])
    : new Map();
}
