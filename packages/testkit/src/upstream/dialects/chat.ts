import { isObject, type WireObject } from '../../judge/wire-value.ts';
import { partOf, partsOf, type PromptPart } from '../model/prompt-tokens.ts';
import type { AskedMessage, Finish } from '../model/scripted-answer.ts';
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

const finishWords: Readonly<Record<Finish, string>> = {
  stop: 'stop',
  calls: 'tool_calls',
  length: 'length',
  wall: 'length',
  refusal: 'content_filter',
};

const roles: Readonly<Record<string, AskedMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
};

/** OpenAI Chat Completions, with `reasoning_content` as local servers send it. */
export const chat: Dialect = {
  path: '/v1/chat/completions',
  countPath: '/v1/chat/completions/input_tokens',
  list: 'messages',
  read,
  events,
  body,
  count: (tokens) => ({ input_tokens: tokens }),
  refusal,
  errorEvent: (fault) => event(refusal(fault)),
};

function read(from: WireObject): ReadRequest {
  const messages = objectsOf(from['messages']);
  const tools = objectsOf(from['tools']);
  const options = from['stream_options'];
  return {
    model: String(from['model']),
    isStreaming: from['stream'] === true,
    maxTokens: numberOf(from['max_completion_tokens']) ?? numberOf(from['max_tokens']),
    wantsUsage: isObject(options) && options['include_usage'] === true,
    messages: messages.map(askedMessage),
    toolNames: tools.map(({ function: named }) => (isObject(named) ? String(named['name']) : '')),
    parts: [...tools.map((tool) => partOf(-1, 'tool', tool, true)), ...messages.flatMap(messageParts)],
  };
}

function askedMessage({ role, content, tool_calls: calls }: WireObject, at: number): AskedMessage {
  return {
    at,
    role: roles[String(role)] ?? 'user',
    text: textOfContent(content),
    calls: objectsOf(calls).map(({ function: named }) => (isObject(named) ? String(named['name']) : '')),
  };
}

function messageParts(message: WireObject, index: number): PromptPart[] {
  const role = String(message['role']);
  const { reasoning_content: reasoning, content, tool_calls: calls, tool_call_id: id } = message;
  const behind = [...(typeof reasoning === 'string' ? [reasoning] : []), ...objectsOf(calls)];
  return [
    ...partsOf(index, typeof id === 'string' ? `${role} ${id}` : role, content),
    ...behind.map((block) => partOf(index, role, block, false)),
  ];
}

function usageOf({ answer, use }: Written): WireObject {
  return {
    prompt_tokens: use.prompt,
    completion_tokens: answer.tokens,
    total_tokens: use.prompt + answer.tokens,
    prompt_tokens_details: { cached_tokens: use.read },
    completion_tokens_details: { reasoning_tokens: answer.reasoningTokens },
  };
}

function event(value: WireObject): WireEvent {
  return { data: JSON.stringify(value) };
}

function events(written: Written): WireEvent[] {
  const { id, model, answer, form } = written;
  const base = { id, object: 'chat.completion.chunk', created: 1_700_000_000, model };
  const usage = written.wantsUsage ? { usage: null } : {};
  const delta = (value: WireObject, finish: string | null = null): WireEvent =>
    event({
      ...base,
      choices: [{ index: 0, delta: value, logprobs: null, finish_reason: finish }],
      ...usage,
    });
  const calls = answer.calls.flatMap((call, at) => {
    const index = at + form.firstCallIndex;
    const head = { index, id: call.id, type: 'function' };
    const open = (text: string): WireEvent =>
      delta({ tool_calls: [{ ...head, function: { name: call.name, arguments: text } }] });
    if (form.hasWholeArguments) return [open(call.arguments)];
    const more = sliceDeltas(call.arguments).map((text) =>
      delta({ tool_calls: [{ index, function: { arguments: text } }] }),
    );
    return [open(''), ...more];
  });
  return [
    delta({ role: 'assistant', content: '' }),
    ...deltasOf(answer.reasoning).map((text) => delta({ reasoning_content: text })),
    ...deltasOf(answer.text).map((text) => delta({ content: text })),
    ...calls,
    delta({}, finishWords[answer.finish]),
    ...(written.wantsUsage ? [event({ ...base, choices: [], usage: usageOf(written) })] : []),
    ...(form.hasNoEnd ? [] : [{ data: '[DONE]' }]),
  ];
}

function body(written: Written): WireObject {
  const { id, model, answer } = written;
  const calls = answer.calls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
  const message = {
    role: 'assistant',
    content: answer.text === '' && calls.length > 0 ? null : answer.text,
    refusal: null,
    ...(answer.reasoning === '' ? {} : { reasoning_content: answer.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id,
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishWords[answer.finish] }],
    usage: usageOf(written),
  };
}

function refusal({ message, type, code, param }: Refusal): WireObject {
  return {
    error: { message, type: type ?? 'invalid_request_error', param: param ?? null, code: code ?? null },
  };
}
