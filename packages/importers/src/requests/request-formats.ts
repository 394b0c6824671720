import {
  aiSdkCodec,
  anthropicCodec,
  openaiChatCodec,
  openaiResponsesCodec,
  sessionCodec,
} from '@throughline/core';
import { writeJson } from '@throughline/core/internal';
import { isObject, listOf, objectOf, textOf } from '../recording/json-value.ts';
import type { Codec } from '@throughline/core';
import type { TargetName } from '../recording/format-names.ts';
import type { WireObject } from '../recording/json-value.ts';

/** How requests of one format are told apart, read and written. */
interface RequestFormat {
  readonly codec: Codec;
  /** What only a message of this format has; `blocks` are the objects of its content. */
  readonly isMarked: (message: WireObject, blocks: readonly WireObject[]) => boolean;
  /** Types of content blocks that only this format has. */
  readonly blockTypes?: ReadonlySet<unknown>;
  /** What the object around the messages has that only this format puts there. */
  readonly isHolder?: (holder: WireObject) => boolean;
  /** Messages that have no `role`, by which those of any format are known, and what else marks them as messages. */
  readonly isMessage?: (value: WireObject) => boolean;
  /** Name of the list of messages in the body of a request; none where a request is a file of lines. */
  readonly listName?: string;
  readonly write: WriteRequestText;
}

/** Item types of OpenAI Responses that have no role. */
const itemTypes: ReadonlySet<unknown> = new Set([
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'computer_call',
  'computer_call_output',
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'item_reference',
  'compaction',
  'compaction_summary',
]);

const sessionParts: ReadonlySet<unknown> = new Set([
  'text',
  'reasoning',
  'call',
  'result',
  'media',
  'opaque',
]);

/** Every format of requests, in the order in which they win where a file fits several of them equally. */
export const requestFormats: Readonly<Record<TargetName, RequestFormat>> = {
  session: {
    codec: sessionCodec,
    isMarked: ({ id, parts }) =>
      typeof id === 'string' &&
      Array.isArray(parts) &&
      parts.every((part) => isObject(part) && sessionParts.has(part['type'])),
    write: sessionLines,
  },
  'openai-chat': {
    codec: openaiChatCodec,
    isMarked: (message) =>
      Array.isArray(message['tool_calls']) ||
      isObject(message['function_call']) ||
      typeof message['tool_call_id'] === 'string' ||
      message['role'] === 'function' ||
      message['content'] === null,
    blockTypes: new Set(['image_url', 'input_audio', 'video_url', 'refusal']),
    isHolder: (holder) =>
      listOf(holder['tools']).some((tool) => isObject(tool) && isObject(tool['function'])) ||
      'max_completion_tokens' in holder ||
      holder['object'] === 'chat.completion',
    listName: 'messages',
    write: bodyWith((messages, system) => ({ messages: withSystem(messages, system) })),
  },
  anthropic: {
    codec: anthropicCodec,
    isMarked: (message, blocks) =>
      blocks.some(({ type, source }) => type === 'image' && isObject(source)) ||
      (message['type'] === 'message' && 'stop_reason' in message),
    blockTypes: new Set([
      'tool_use',
      'tool_result',
      'thinking',
      'redacted_thinking',
      'server_tool_use',
      'web_search_tool_result',
      'code_execution_tool_result',
      'document',
      'compaction',
    ]),
    isHolder: (holder) =>
      typeof holder['system'] === 'string' ||
      Array.isArray(holder['system']) ||
      'anthropic_version' in holder ||
      listOf(holder['tools']).some((tool) => isObject(tool) && isObject(tool['input_schema'])),
    listName: 'messages',
    write: bodyWith(systemApart),
  },
  'ai-sdk': {
    codec: aiSdkCodec,
    isMarked: (message, blocks) =>
      isObject(message['providerOptions']) ||
      blocks.some(
        (block) =>
          (block['type'] === 'image' && 'image' in block) ||
          (block['type'] === 'file' && 'mediaType' in block) ||
          (block['type'] === 'reasoning' && typeof block['text'] === 'string'),
      ),
    blockTypes: new Set([
      'tool-call',
      'tool-result',
      'tool-error',
      'tool-approval-request',
      'tool-approval-response',
      'reasoning-file',
    ]),
    isHolder: (holder) => isObject(holder['tools']) || 'maxOutputTokens' in holder || 'stopWhen' in holder,
    listName: 'messages',
    write: bodyWith((messages, system) => ({ messages: withSystem(messages, system) })),
  },
  'openai-responses': {
    codec: openaiResponsesCodec,
    isMarked: (message) => message['role'] === undefined && itemTypes.has(message['type']),
    blockTypes: new Set(['input_text', 'output_text', 'input_image', 'input_file']),
    isHolder: (holder) =>
      holder['object'] === 'response' ||
      Array.isArray(holder['input']) ||
      textInput(holder) !== undefined ||
      'max_output_tokens' in holder,
    isMessage: (value) => itemTypes.has(value['type']) && !('payload' in value) && !('uuid' in value),
    listName: 'input',
    write: bodyWith((input, system) => (system === undefined ? { input } : { instructions: system, input })),
  },
};

export const requestNames = Object.keys(requestFormats) as readonly TargetName[];

/** The `input` of a Responses request that is one text: it stands for one message of the user. */
export function textInput(value: WireObject): string | undefined {
  const isRequest = textOf(value['model']) !== undefined || textOf(value['instructions']) !== undefined;
  return isRequest ? textOf(value['input']) : undefined;
}

/** What a request holds beside its messages, where the recording has it. */
interface Beside {
  readonly system?: string;
  readonly model?: string;
}

/** The text of a file that holds messages as a request. */
type WriteRequestText = (messages: readonly unknown[], beside: Beside) => string;

/** A request of one JSON body, with the model before what the format makes of messages and system prompt. */
function bodyWith(
  body: (messages: readonly unknown[], system: string | undefined) => object,
): WriteRequestText {
  return (messages, { system, model }) =>
    `${writeJson({ ...(model !== undefined && { model }), ...body(messages, system) }, '  ')}\n`;
}

/** The messages with the system prompt as the first of them. */
function withSystem(messages: readonly unknown[], system: string | undefined): readonly unknown[] {
  return system === undefined ? messages : [{ role: 'system', content: system }, ...messages];
}

/** Anthropic takes the system prompt beside the messages. */
function systemApart(messages: readonly unknown[], system: string | undefined): object {
  const isSystem = (message: unknown): boolean => isObject(message) && message['role'] === 'system';
  const leading = messages.findIndex((message) => !isSystem(message));
  const count = leading < 0 ? messages.length : leading;
  const texts = messages.slice(0, count).map((message) => textIn(objectOf(message)['content']));
  const all = [system, ...texts].filter((text) => text !== undefined && text !== '');
  const rest = messages.slice(count);
  return all.length === 0 ? { messages: rest } : { system: all.join('\n\n'), messages: rest };
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.flatMap((block) => textOf(objectOf(block)['text']) ?? []).join('\n\n');
}

/** Messages of our own sessions, one a line. */
function sessionLines(messages: readonly unknown[], { system }: Beside): string {
  const first = system === undefined ? [] : [{ role: 'system', parts: [{ type: 'text', text: system }] }];
  const lines = [...first, ...messages].map((message, index) =>
    writeJson({ ...objectOf(message), id: `m${index}` }),
  );
  return lines.map((line) => `${line}\n`).join('');
}
