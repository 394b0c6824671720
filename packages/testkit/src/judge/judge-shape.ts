import { isObject, textOf, type WireObject } from './wire-value.ts';

export type ShapedFormat = 'openai-chat' | 'openai-responses' | 'anthropic';

type Complain = (fault: string) => void;
type Judge = (message: WireObject, complain: Complain) => void;

const judges: Record<ShapedFormat, Judge> = {
  'openai-chat': judgeChat,
  'openai-responses': judgeItem,
  anthropic: judgeAnthropic,
};

/**
 * What is wrong with the types of single messages, against the request schemas that the providers publish: required
 * members, their types, names and ids. How messages follow each other is judged by `findWireFaults`. Blocks and items
 * of types that are not known here are not judged: providers add new ones.
 */
export function findShapeFaults(format: ShapedFormat, messages: readonly unknown[]): readonly string[] {
  return messages.flatMap((message, index) => {
    const faults: string[] = [];
    const complain: Complain = (fault) => void faults.push(`${format} message ${index}: ${fault}`);
    if (isObject(message)) judges[format](message, complain);
    else complain('is no object');
    return faults;
  });
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isName = (value: unknown, longest: number): boolean =>
  isText(value) && value.length <= longest && /^[a-zA-Z0-9_.:/-]+$/.test(value);

function blocksOf(content: unknown, complain: Complain, judge: Judge): void {
  if (!Array.isArray(content)) return complain('content is neither a text nor a list');
  for (const block of content as unknown[]) {
    if (!isObject(block) || !isText(block['type']) || block['type'] === '')
      complain('a block without a type');
    else judge(block, complain);
  }
}

function judgeChat(message: WireObject, complain: Complain): void {
  const { role, content, name, tool_calls: calls, tool_call_id: id } = message;
  if (!['system', 'developer', 'user', 'assistant', 'tool', 'function'].includes(textOf(role)))
    return complain('has no known role');
  const mayBeMissing = role === 'assistant';
  if (!isText(content) && !(mayBeMissing && (content === null || content === undefined))) {
    blocksOf(content, complain, judgeChatBlock);
    if (Array.isArray(content) && content.length === 0) complain('content is an empty list');
  }
  if (name !== undefined && !isText(name)) complain('name is no text');
  if (role === 'tool' && (!isText(id) || id === '')) complain('tool_call_id is no text');
  if (calls === undefined) return;
  if (role !== 'assistant') return complain('has calls and is not the assistant’s');
  if (!Array.isArray(calls) || calls.length === 0) return complain('tool_calls is no list with calls in it');
  for (const call of calls as unknown[]) {
    if (!isObject(call)) complain('a call is no object');
    else judgeChatCall(call, complain);
  }
}

function judgeChatCall(call: WireObject, complain: Complain): void {
  if (!isText(call['id']) || call['id'] === '') complain('a call without an id');
  const { type } = call;
  const key = type === 'custom' ? 'custom' : 'function';
  if (type !== 'custom' && type !== 'function' && type !== 'builtin_function')
    complain('a call without a type');
  const tool = call[key];
  if (!isObject(tool)) return complain(`a call without ${key}`);
  if (!isName(tool['name'], 64)) complain('a call without a name');
  if (!isText(tool[type === 'custom' ? 'input' : 'arguments'])) complain('arguments are no text');
}

function judgeChatBlock(block: WireObject, complain: Complain): void {
  const { type, image_url: image, input_audio: audio, file } = block;
  if (type === 'text' && !isText(block['text'])) complain('a text block without a text');
  if (type === 'refusal' && !isText(block['refusal'])) complain('a refusal without a text');
  if (type === 'image_url' && !(isObject(image) && isText(image['url']))) complain('an image without a url');
  if (type === 'input_audio' && !(isObject(audio) && isText(audio['data']) && isText(audio['format'])))
    complain('audio without data');
  if (type === 'file' && !(isObject(file) && (isText(file['file_data']) || isText(file['file_id']))))
    complain('a file without data');
}

function judgeAnthropic({ role, content }: WireObject, complain: Complain): void {
  if (role !== 'user' && role !== 'assistant') complain('has no known role');
  if (!isText(content)) blocksOf(content, complain, judgeAnthropicBlock);
}

function judgeAnthropicBlock(block: WireObject, complain: Complain): void {
  const { type, text, thinking, signature, data, source } = block;
  if (type === 'text' && (!isText(text) || text.trim() === '')) complain('an empty text block');
  if (type === 'thinking' && (!isText(thinking) || !isText(signature) || signature === ''))
    complain('unsigned thinking');
  if (type === 'redacted_thinking' && (!isText(data) || data === ''))
    complain('redacted thinking without data');
  if (type === 'tool_use' || type === 'server_tool_use') {
    if (!isText(block['id']) || block['id'] === '') complain('a call without an id');
    if (!isName(block['name'], 128)) complain('a call without a name');
    if (!isObject(block['input'])) complain('input is no object');
  }
  if ((type === 'image' || type === 'document') && !(isObject(source) && isText(source['type'])))
    complain('media without a source');
  if (type === 'tool_result') judgeAnthropicResult(block, complain);
}

function judgeAnthropicResult(block: WireObject, complain: Complain): void {
  const { tool_use_id: id, content, is_error: isError } = block;
  if (!isText(id) || id === '') complain('a result without the id of its call');
  if (content !== undefined && !isText(content)) blocksOf(content, complain, judgeAnthropicBlock);
  if (isError !== undefined && typeof isError !== 'boolean') complain('is_error is no flag');
}

function judgeItem(item: WireObject, complain: Complain): void {
  const { type, role, content } = item;
  if (item['id'] !== undefined && (!isText(item['id']) || item['id'] === '')) complain('id is no text');
  if (type === undefined || type === 'message') {
    if (!['user', 'assistant', 'system', 'developer'].includes(textOf(role))) complain('has no known role');
    if (!isText(content))
      blocksOf(content, complain, (block, tell) => judgeItemBlock(block, role === 'assistant', tell));
    return;
  }
  if (!isText(type) || type === '') return complain('has no type');
  if (type === 'function_call' || type === 'custom_tool_call') {
    if (!isName(item['name'], 64)) complain('a call without a name');
    if (!isText(item[type === 'function_call' ? 'arguments' : 'input'])) complain('arguments are no text');
  }
  if (/^(function_call|custom_tool_call)/.test(type) && (!isText(item['call_id']) || item['call_id'] === ''))
    complain('call_id is no text');
  if (type === 'function_call_output' || type === 'custom_tool_call_output') {
    const { output } = item;
    if (!isText(output)) blocksOf(output, complain, (block, tell) => judgeItemBlock(block, false, tell));
    if (Array.isArray(output) && output.length === 0) complain('output is an empty list');
  }
  if (type === 'reasoning') {
    const isSummary = (block: unknown): boolean => isObject(block) && isText(block['text']);
    if (!Array.isArray(item['summary']) || !item['summary'].every(isSummary))
      complain('a summary that is none');
    const { encrypted_content: secret } = item;
    if (secret !== undefined && secret !== null && !isText(secret)) complain('encrypted content is no text');
  }
}

function judgeItemBlock(block: WireObject, isAnswer: boolean, complain: Complain): void {
  const type = textOf(block['type']);
  if (/^(text|input_text|output_text)$/.test(type)) {
    if (type !== (isAnswer ? 'output_text' : 'input_text')) complain(`a block of type ${type} in this role`);
    if (!isText(block['text'])) complain('a text block without a text');
  }
  if (type === 'input_image' && !isText(block['image_url']) && !isText(block['file_id']))
    complain('an image without a url');
}
