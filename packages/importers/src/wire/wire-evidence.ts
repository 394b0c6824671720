import { arrayOf, isObject, objectOf, textOf } from '../recording/json-value.ts';
import { itemTypes, textInput } from './message-shapes.ts';
import type { TargetName } from '../recording/format-names.ts';
import type { JsonObject } from '../recording/json-value.ts';
import type { Conversation } from './conversations.ts';

type Mark = (message: JsonObject, blocks: readonly JsonObject[]) => boolean;

const blockTypes: Readonly<Record<TargetName, ReadonlySet<unknown>>> = {
  'openai-chat': new Set(['image_url', 'input_audio', 'video_url', 'refusal']),
  'openai-responses': new Set(['input_text', 'output_text', 'input_image', 'input_file']),
  anthropic: new Set([
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
  'ai-sdk': new Set([
    'tool-call',
    'tool-result',
    'tool-error',
    'tool-approval-request',
    'tool-approval-response',
    'reasoning-file',
  ]),
  session: new Set(),
};

const sessionParts: ReadonlySet<unknown> = new Set([
  'text',
  'reasoning',
  'call',
  'result',
  'media',
  'opaque',
]);

/** What only a message of this format has. */
const marks: Readonly<Record<TargetName, Mark>> = {
  'openai-chat': (message) =>
    Array.isArray(message['tool_calls']) ||
    isObject(message['function_call']) ||
    typeof message['tool_call_id'] === 'string' ||
    message['role'] === 'function' ||
    message['content'] === null,
  'openai-responses': (message) => message['role'] === undefined && itemTypes.has(message['type']),
  anthropic: (message, blocks) =>
    blocks.some(({ type, source }) => type === 'image' && isObject(source)) ||
    (message['type'] === 'message' && 'stop_reason' in message),
  'ai-sdk': (message, blocks) =>
    isObject(message['providerOptions']) ||
    blocks.some(
      (block) =>
        (block['type'] === 'image' && 'image' in block) ||
        (block['type'] === 'file' && 'mediaType' in block) ||
        (block['type'] === 'reasoning' && typeof block['text'] === 'string'),
    ),
  session: ({ id, parts }) =>
    typeof id === 'string' &&
    Array.isArray(parts) &&
    parts.every((part) => isObject(part) && sessionParts.has(part['type'])),
};

/** What the object around the messages says. */
const holderMarks: Readonly<Record<TargetName, (holder: JsonObject) => boolean>> = {
  'openai-chat': (holder) =>
    arrayOf(holder['tools']).some((tool) => isObject(tool) && isObject(tool['function'])) ||
    'max_completion_tokens' in holder ||
    holder['object'] === 'chat.completion',
  'openai-responses': (holder) =>
    holder['object'] === 'response' ||
    Array.isArray(holder['input']) ||
    textInput(holder) !== undefined ||
    'max_output_tokens' in holder,
  anthropic: (holder) =>
    typeof holder['system'] === 'string' ||
    Array.isArray(holder['system']) ||
    'anthropic_version' in holder ||
    arrayOf(holder['tools']).some((tool) => isObject(tool) && isObject(tool['input_schema'])),
  'ai-sdk': (holder) => isObject(holder['tools']) || 'maxOutputTokens' in holder || 'stopWhen' in holder,
  session: () => false,
};

const sampleSize = 2_000;

/**
 * How much speaks for a format, from the content of the messages: 0 when there are none, 1 when nothing contradicts
 * it, and 1 more per message or holder with a mark of its own.
 */
export function wireEvidence(conversations: readonly Conversation[], name: TargetName): number {
  let evidence = 0;
  for (const { messages, holder } of conversations) {
    for (const message of messages.slice(0, sampleSize)) {
      if (!isObject(message)) continue;
      const blocks = arrayOf(message['content']).filter(isObject);
      const isMarked = marks[name](message, blocks) || blocks.some(({ type }) => blockTypes[name].has(type));
      evidence += isMarked ? 1 : 0;
    }
    evidence += holderMarks[name](holder) ? 1 : 0;
  }
  return conversations.length === 0 || name === 'session' ? evidence : evidence + 1;
}

/** A form of messages that is like one of ours but is none, and what to do about it. */
interface ForeignForm {
  readonly isMarked: (message: JsonObject) => boolean;
  /** What a message of this form never is. */
  readonly isOther: (message: JsonObject) => boolean;
  readonly sentence: string;
}

const foreignForms: readonly ForeignForm[] = [
  {
    isMarked: ({ parts }) => arrayOf(parts).some((part) => isUiPart(objectOf(part))),
    isOther: ({ parts }) => !Array.isArray(parts) || parts.some((part) => isSessionPart(objectOf(part))),
    sentence:
      'these are AI SDK UIMessages, which a page shows and no model is sent; ' +
      'convert them with convertToModelMessages and give the result',
  },
  {
    isMarked: ({ content }) => arrayOf(content).some((block) => isConverseBlock(objectOf(block))),
    isOther: ({ content }) =>
      typeof content === 'string' || arrayOf(content).some((block) => objectOf(block)['type'] !== undefined),
    sentence:
      'these are messages of the Bedrock Converse API (toolUse, toolResult), a format that is not read; ' +
      'give them in the form of the Anthropic Messages API or of OpenAI chat',
  },
  {
    isMarked: ({ content }) => arrayOf(content).some((block) => gooseBlocks.has(objectOf(block)['type'])),
    isOther: ({ content }) =>
      typeof content === 'string' ||
      arrayOf(content).some((block) => foreignToGoose.has(objectOf(block)['type'])),
    sentence:
      'these are messages of Goose (toolRequest, toolResponse), a format that is not read; ' +
      'give them in the form of the Anthropic Messages API or of OpenAI chat',
  },
];

const gooseBlocks: ReadonlySet<unknown> = new Set(['toolRequest', 'toolResponse', 'frontendToolRequest']);
const foreignToGoose: ReadonlySet<unknown> = new Set(['tool_use', 'tool_result', 'tool-call', 'tool-result']);

/** Names the form that the messages have when it is none that can be read, as a sentence for the user. */
export function foreignForm(conversations: readonly Conversation[]): string | undefined {
  const messages = conversations.flatMap((one) => one.messages.slice(0, sampleSize)).filter(isObject);
  const found = foreignForms.find(
    ({ isMarked, isOther }) => messages.filter(isMarked).length > messages.filter(isOther).length,
  );
  return found?.sentence;
}

const uiPartTypes: ReadonlySet<string> = new Set([
  'step-start',
  'dynamic-tool',
  'source-url',
  'source-document',
]);
const uiPartPrefixes = ['tool-', 'data-'];

/** What only the part of a UIMessage is; texts alone could be ours as well, and are read as such. */
function isUiPart(part: JsonObject): boolean {
  const type = textOf(part['type']) ?? '';
  if (uiPartTypes.has(type) || uiPartPrefixes.some((prefix) => type.startsWith(prefix))) return true;
  return type === 'file' && typeof part['url'] === 'string';
}

/** A part of our own stored messages that a UIMessage has not. */
function isSessionPart({ type, callId, source, value }: JsonObject): boolean {
  if (type === 'call' || type === 'result') return typeof callId === 'string';
  return (type === 'media' && isObject(source)) || (type === 'opaque' && value !== undefined);
}

const converseBlocks = ['text', 'toolUse', 'toolResult', 'image', 'document', 'video', 'reasoningContent'];

/** Blocks of the Converse API are named by their only member. */
function isConverseBlock(block: JsonObject): boolean {
  return block['type'] === undefined && converseBlocks.some((name) => name in block);
}
