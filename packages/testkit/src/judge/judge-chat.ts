import type { JudgeOptions, Report } from './wire-value.ts';
import { blocksOf, isBlankText, isObject, textOf, type WireObject } from './wire-value.ts';

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

/**
 * OpenAI Chat Completions: "An assistant message with 'tool_calls' must be followed by tool messages responding to each
 * 'tool_call_id'"; "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'".
 */
export function judgeChat(messages: readonly unknown[], { ending }: JudgeOptions, report: Report): void {
  let pending = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (!isObject(message) || !roles.includes(textOf(message['role']))) {
      report(index, 'is no message with a known role');
      continue;
    }
    if (message['role'] === 'tool') {
      const id = textOf(message['tool_call_id']);
      if (!pending.delete(id)) report(index, `answers ${id}, which no call directly before asks for`);
      if (hasImage(message['content'])) report(index, 'has an image in a tool message');
      continue;
    }
    if (pending.size > 0) report(index, `comes before the results of ${[...pending].join(', ')}`);
    pending = message['role'] === 'assistant' ? judgeAssistant(message, index, report) : new Set();
    if (message['role'] !== 'assistant' && isEmptyContent(message['content'])) report(index, 'is empty');
  }
  if (pending.size > 0 && ending === 'send') {
    report(messages.length, `the end leaves ${[...pending].join(', ')} without results`);
  }
}

function judgeAssistant(message: WireObject, index: number, report: Report): Set<string> {
  const { tool_calls: calls, content } = message;
  const ids = new Set<string>();
  if (Array.isArray(calls) && calls.length === 0) report(index, 'has an empty list of tool calls');
  for (const call of Array.isArray(calls) ? (calls as unknown[]) : []) {
    const id = isObject(call) ? textOf(call['id']) : '';
    if (ids.has(id)) report(index, `calls twice under the id ${id}`);
    ids.add(id);
    if (!isCall(call))
      report(index, 'has a call without a function and its arguments, or a tool and its input, as text');
  }
  const says =
    !isEmptyContent(content) || typeof message['refusal'] === 'string' || isObject(message['audio']);
  if (ids.size === 0 && !says && !isObject(message['function_call']))
    report(index, 'has neither content nor calls');
  if (hasImage(content)) report(index, 'has an image in an assistant message');
  return ids;
}

/** "The type of the tool. Always `custom`" or `function`: a custom tool takes a text of any form. */
function isCall(call: unknown): boolean {
  if (!isObject(call)) return false;
  const { type, function: named, custom } = call;
  if (type === 'custom') return isObject(custom) && isText(custom['name']) && isText(custom['input']);
  return isObject(named) && isText(named['arguments']);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isEmptyContent(content: unknown): boolean {
  const blocks = content === null || content === undefined ? [] : blocksOf(content);
  return blocks?.every(isBlankText) ?? true;
}

function hasImage(content: unknown): boolean {
  return Array.isArray(content) && content.some((block) => isObject(block) && block['type'] === 'image_url');
}
