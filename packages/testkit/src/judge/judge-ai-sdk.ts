import type { JudgeOptions, Report } from './wire-value.ts';
import { blocksOf, isBlankText, isObject, textOf, type WireObject } from './wire-value.ts';

const allowed: { readonly [role: string]: readonly string[] } = {
  user: ['text', 'image', 'file'],
  assistant: [
    'text',
    'file',
    'reasoning',
    'reasoning-file',
    'tool-call',
    'tool-result',
    'tool-approval-request',
    'custom',
  ],
  tool: ['tool-result', 'tool-approval-response'],
};

/**
 * The AI SDK's `ModelMessage`: its own schema, its check that every call has a result before the next message
 * ("Tool result is missing for tool call"), and what the providers behind it refuse.
 */
export function judgeAiSdk(messages: readonly unknown[], { ending }: JudgeOptions, report: Report): void {
  let pending = new Set<string>();
  let hasConversation = false;
  const providers = new Map<string, number>();
  const lastSpeech = messages.findLastIndex((message) => !isToolMessage(message));
  for (const [index, message] of messages.entries()) {
    const blocks = isObject(message) ? blocksOf(message['content']) : undefined;
    const role = isObject(message) ? textOf(message['role']) : '';
    if (!blocks || !(role === 'system' || allowed[role])) {
      report(index, 'is no message of a known role with content');
      continue;
    }
    if (role === 'system') {
      if (hasConversation) report(index, 'is a system message behind the conversation');
      if (blocks.every(isBlankText)) report(index, 'is empty');
      continue;
    }
    hasConversation = true;
    for (const { type } of blocks) {
      if (!allowed[role]?.includes(textOf(type)))
        report(index, `has a ${textOf(type)} part in a message of role ${role}`);
    }
    if (role === 'tool') {
      judgeResults(blocks, index, pending, report);
      continue;
    }
    if (pending.size > 0) report(index, `comes before the results of ${[...pending].join(', ')}`);
    if (blocks.every(isBlankText)) report(index, 'is empty');
    pending = role === 'assistant' ? judgeAssistant(blocks, index, providers, report) : new Set();
  }
  // The provider may pause inside its own call at the end, or hand its result in with a later response.
  for (const [id, index] of providers) {
    if (index < lastSpeech) report(index, `has a provider-executed call ${id} without a result`);
  }
  if (ending === 'send' && pending.size > 0)
    report(messages.length, 'the end leaves tool calls without results');
}

function isToolMessage(message: unknown): boolean {
  return isObject(message) && message['role'] === 'tool';
}

function judgeResults(
  blocks: readonly WireObject[],
  index: number,
  pending: Set<string>,
  report: Report,
): void {
  if (blocks.length === 0) report(index, 'is empty');
  for (const { type, toolCallId } of blocks) {
    if (type === 'tool-result' && !pending.delete(textOf(toolCallId))) {
      report(index, `answers ${textOf(toolCallId)}, which no call directly before asks for`);
    }
  }
}

function judgeAssistant(
  blocks: readonly WireObject[],
  index: number,
  providers: Map<string, number>,
  report: Report,
): Set<string> {
  const calls = new Set<string>();
  for (const { type, toolCallId, providerExecuted } of blocks) {
    const id = textOf(toolCallId);
    if (type === 'tool-call') {
      if (calls.has(id) || providers.get(id) === index) report(index, `calls twice under the id ${id}`);
      if (providerExecuted === true) providers.set(id, index);
      else calls.add(id);
    }
    if (type === 'tool-result' && !providers.delete(id) && !calls.delete(id))
      report(index, `has a result for ${id} without its call`);
  }
  const isOnlyReasoning =
    blocks.some(({ type }) => type === 'reasoning') &&
    blocks.every((block) => block['type'] === 'reasoning' || isBlankText(block));
  if (isOnlyReasoning) report(index, 'holds only reasoning');
  return calls;
}
