import type { JudgeOptions, Report } from './wire-value.ts';
import { blocksOf, isBlankText, isObject, textOf, type WireObject } from './wire-value.ts';

/** Items that a model produces, in which a reasoning item finds the one it belongs to. */
const producedTypes =
  /^(function_call|custom_tool_call|local_shell_call|shell_call|apply_patch_call|computer_call|tool_search_call|[a-z_]+_call|message|reasoning)$/;

/**
 * OpenAI Responses: "No tool output found for function call"; "No tool call found for function call output"; "Item of type
 * 'reasoning' was provided without its required following item"; `call_id` of at most 64 characters.
 */
export function judgeResponses(items: readonly unknown[], { ending }: JudgeOptions, report: Report): void {
  const open = new Map<string, number>();
  const known = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (!isObject(item)) {
      report(index, 'is no item');
      continue;
    }
    const type = textOf(item['type'] ?? 'message');
    const callId = textOf(item['call_id']);
    if (type === 'message') judgeMessage(item, index, report);
    if (type === 'function_call' || type === 'custom_tool_call') {
      if (known.has(callId)) report(index, `repeats the call id ${callId}`);
      if (callId === '' || callId.length > 64) report(index, 'has a call id that is empty or too long');
      known.add(callId);
      open.set(callId, index);
    }
    if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      if (!open.delete(callId)) report(index, `answers ${callId}, which no open call before has`);
    }
    if (type === 'reasoning' && !isProduced(items[index + 1]))
      report(index, 'is reasoning without its following item');
  }
  for (const [callId, index] of open) {
    const isTrailing = ending === 'open' && items.slice(index + 1).every(isTail);
    if (!isTrailing) report(index, `has no output for ${callId}`);
  }
}

function isTail(item: unknown): boolean {
  return isObject(item) && (isProduced(item) || textOf(item['type']).endsWith('_output'));
}

function isProduced(item: unknown): boolean {
  if (!isObject(item)) return false;
  const type = textOf(item['type'] ?? 'message');
  return producedTypes.test(type) && (type !== 'message' || item['role'] === 'assistant');
}

function judgeMessage(item: WireObject, index: number, report: Report): void {
  const { role, content } = item;
  if (!['user', 'assistant', 'system', 'developer'].includes(textOf(role)))
    report(index, 'has no known role');
  const blocks = blocksOf(content);
  if (!blocks || blocks.every(isBlankText)) report(index, 'has no content');
  if (role === 'assistant' && blocks?.some(({ type }) => textOf(type).startsWith('input_'))) {
    report(index, 'has input blocks in an assistant message');
  }
}
