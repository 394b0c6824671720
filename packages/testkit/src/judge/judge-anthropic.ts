import type { JudgeOptions, Report } from './wire-value.ts';
import { blocksOf, isBlankText, isObject, textOf, type WireObject } from './wire-value.ts';

const userBlocks = new Set(['text', 'image', 'document', 'tool_result', 'search_result', 'container_upload']);
const notForAssistant = new Set(['image', 'document', 'tool_result', 'search_result', 'container_upload']);

interface State {
  readonly ids: Set<string>;
  readonly serverCalls: Map<string, number>;
  /** Tool calls of the message before. */
  pending: readonly string[];
}

/**
 * Anthropic Messages: "`tool_use` ids were found without `tool_result` blocks immediately after"; "each `tool_result` block
 * must have a corresponding `tool_use` block in the previous message"; "`tool_use` ids must be unique"; "text content blocks
 * must be non-empty"; "all messages must have non-empty content"; results come first in the content of their message.
 */
export function judgeAnthropic(messages: readonly unknown[], { ending }: JudgeOptions, report: Report): void {
  const state: State = { ids: new Set(), serverCalls: new Map(), pending: [] };
  for (const [index, message] of messages.entries()) {
    const blocks = isObject(message) ? blocksOf(message['content']) : undefined;
    if (!isObject(message) || !blocks || !['user', 'assistant'].includes(textOf(message['role']))) {
      report(index, 'is no message of role user or assistant with content');
      state.pending = [];
      continue;
    }
    if (index === 0 && message['role'] !== 'user') report(index, 'is first and not the user’s');
    if (blocks.length === 0) report(index, 'has no content');
    if (blocks.some((block) => block['type'] === 'text' && isBlankText(block)))
      report(index, 'has a blank text block');
    // The caller still adds results to a last message that holds nothing else.
    const isOpen =
      ending === 'open' &&
      index === messages.length - 1 &&
      blocks.every(({ type }) => type === 'tool_result');
    if (message['role'] === 'user') judgeUser(blocks, index, { state, isOpen }, report);
    else judgeAssistant(blocks, index, state, report);
  }
  if (ending === 'send' && state.pending.length > 0)
    report(messages.length, 'the end leaves tool calls without results');
  const last = messages.at(-1);
  const end = isObject(last) && last['role'] === 'assistant' ? blocksOf(last['content'])?.at(-1) : undefined;
  if (end?.['type'] === 'text' && /\s$/.test(textOf(end['text'])))
    report(messages.length - 1, 'is the last, the assistant’s, and ends in white space');
  for (const [id, index] of state.serverCalls) {
    if (index < messages.length - 2) report(index, `server tool call ${id} has no result`);
  }
}

interface UserCheck {
  readonly state: State;
  readonly isOpen: boolean;
}

function judgeUser(
  blocks: readonly WireObject[],
  index: number,
  { state, isOpen }: UserCheck,
  report: Report,
): void {
  const pending = new Set(state.pending);
  let hasOther = false;
  for (const { type, tool_use_id: toolUseId } of blocks) {
    if (!userBlocks.has(textOf(type))) report(index, `has a ${textOf(type)} block in a user message`);
    if (type !== 'tool_result') hasOther = true;
    else {
      if (hasOther) report(index, 'has a tool result behind other content');
      if (!pending.delete(textOf(toolUseId)))
        report(index, `answers ${textOf(toolUseId)}, which the message before does not call`);
    }
  }
  if (pending.size > 0 && !isOpen) report(index, `does not answer ${[...pending].join(', ')}`);
  state.pending = [];
}

function judgeAssistant(blocks: readonly WireObject[], index: number, state: State, report: Report): void {
  if (state.pending.length > 0) report(index, `comes before the results of ${state.pending.join(', ')}`);
  state.pending = [];
  const calls: string[] = [];
  for (const { type, id, tool_use_id: toolUseId } of blocks) {
    if (notForAssistant.has(textOf(type)))
      report(index, `has a ${textOf(type)} block in an assistant message`);
    if (type === 'tool_use' || type === 'server_tool_use') {
      const name = textOf(id);
      if (state.ids.has(name)) report(index, `repeats the id ${name}`);
      if (!/^[a-zA-Z0-9_-]+$/.test(name)) report(index, 'has an id outside the pattern');
      state.ids.add(name);
      if (type === 'tool_use') calls.push(name);
      else state.serverCalls.set(name, index);
    } else if (textOf(type).endsWith('_tool_result') && !state.serverCalls.delete(textOf(toolUseId))) {
      report(index, `has a server result for ${textOf(toolUseId)} without its call`);
    }
  }
  if (blocks.length > 0 && blocks.every(({ type }) => type === 'thinking' || type === 'redacted_thinking')) {
    report(index, 'holds only thinking');
  }
  state.pending = calls;
}
