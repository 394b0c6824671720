import { isObject, listOf, objectOf, textOf } from '../recording/json-value.ts';
import { requestFormats } from '../requests/request-formats.ts';
import type { TargetName } from '../recording/format-names.ts';
import type { WireObject } from '../recording/json-value.ts';
import type { Conversation } from './conversations.ts';

const sampleSize = 2_000;

/**
 * How much speaks for a format, from the content of the messages: 0 when there are none, 1 when nothing contradicts
 * it, and 1 more per message or holder with a mark of its own.
 */
export function wireEvidence(conversations: readonly Conversation[], name: TargetName): number {
  const { isMarked, blockTypes, isHolder } = requestFormats[name];
  let evidence = 0;
  for (const { messages, holder } of conversations) {
    for (const message of messages.slice(0, sampleSize)) {
      if (!isObject(message)) continue;
      const blocks = listOf(message['content']).filter(isObject);
      const isOwn = isMarked(message, blocks) || blocks.some(({ type }) => blockTypes?.has(type) === true);
      evidence += isOwn ? 1 : 0;
    }
    evidence += isHolder?.(holder) === true ? 1 : 0;
  }
  return conversations.length === 0 || name === 'session' ? evidence : evidence + 1;
}

/** A form of messages that is like one of ours but is none, and what to do about it. */
interface ForeignForm {
  readonly isMarked: (message: WireObject) => boolean;
  /** What a message of this form never is. */
  readonly isOther: (message: WireObject) => boolean;
  readonly sentence: string;
}

const foreignForms: readonly ForeignForm[] = [
  {
    isMarked: ({ parts }) => listOf(parts).some((part) => isUiPart(objectOf(part))),
    isOther: ({ parts }) => !Array.isArray(parts) || parts.some((part) => isSessionPart(objectOf(part))),
    sentence:
      'these are AI SDK UIMessages, which a page shows and no model is sent; ' +
      'convert them with convertToModelMessages and give the result',
  },
  {
    isMarked: ({ content }) => listOf(content).some((block) => isConverseBlock(objectOf(block))),
    isOther: ({ content }) =>
      typeof content === 'string' || listOf(content).some((block) => objectOf(block)['type'] !== undefined),
    sentence:
      'these are messages of the Bedrock Converse API (toolUse, toolResult), a format that is not read; ' +
      'give them in the form of the Anthropic Messages API or of OpenAI chat',
  },
  {
    isMarked: ({ content }) => listOf(content).some((block) => gooseBlocks.has(objectOf(block)['type'])),
    isOther: ({ content }) =>
      typeof content === 'string' ||
      listOf(content).some((block) => foreignToGoose.has(objectOf(block)['type'])),
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
function isUiPart(part: WireObject): boolean {
  const type = textOf(part['type']) ?? '';
  if (uiPartTypes.has(type) || uiPartPrefixes.some((prefix) => type.startsWith(prefix))) return true;
  return type === 'file' && typeof part['url'] === 'string';
}

/** A part of our own stored messages that a UIMessage has not. */
function isSessionPart({ type, callId, source, value }: WireObject): boolean {
  if (type === 'call' || type === 'result') return typeof callId === 'string';
  return (type === 'media' && isObject(source)) || (type === 'opaque' && value !== undefined);
}

const converseBlocks = ['text', 'toolUse', 'toolResult', 'image', 'document', 'video', 'reasoningContent'];

/** Blocks of the Converse API are named by their only member. */
function isConverseBlock(block: WireObject): boolean {
  return block['type'] === undefined && converseBlocks.some((name) => name in block);
}
