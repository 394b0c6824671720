import type { WireEdit } from '../../json/json.ts';
import { isObject, valueAt } from '../../json/json.ts';
import type {
  Codec,
  Composed,
  NeutralContent,
  NeutralMedia,
  NeutralPart,
  Synthetic,
  WireRules,
} from '../codec.ts';
import { sourceOfBlock } from '../media.ts';
import type { NeutralResult, NeutralSpeech, Said, TextBlock } from '../neutral-parts.ts';
import {
  inOneMessage,
  inOneText,
  joinComposed,
  mediaStub,
  neutralParts,
  onlyOfAssistants,
  runsOf,
  sayAll,
  sayContent,
  sayText,
  shortest,
  textBlock,
} from '../neutral-parts.ts';
import { decodeAnthropic } from './decode.ts';
import { mendAnthropic } from './mend.ts';
import type { ChangeOfType, EditContext, EditTable } from '../edit-table.ts';
import { blockEdits, editResult, editWith } from '../edit-table.ts';

const rules: WireRules = {
  resultsIn: 'user-message',
  entriesPerResponse: 'one',
  firstIsUser: true,
  allowsConsecutiveRoles: true,
  systemMessages: 'outside',
  uniqueCallIds: true,
  resultsAdjacent: true,
  mediaIn: { user: true, assistant: false, result: true },
  callIdPattern: /^[a-zA-Z0-9_-]+$/,
  resultsFirst: true,
  trimsLastAnswer: true,
};

/** Anthropic Messages. */
export const anthropicCodec: Codec = {
  name: 'anthropic',
  rules,
  decode: decodeAnthropic,
  mend: mendAnthropic,
  edit: (entry, changes) => editWith(edits, { entry, changes }),
  compose: composeAnthropic,
  neutral: (entry) => neutralParts(entry, sourceOfBlock),
};

const edits: EditTable = {
  ...blockEdits,
  'replace-result': replaceResult,
  'rename-call': ({ part, callId }) => [
    { at: [...part.at, part.type === 'call' ? 'id' : 'tool_use_id'], set: callId },
  ],
};

/** Results of server tools cannot be rewritten: their content has a form of its own, partly encrypted. */
function replaceResult(change: ChangeOfType<'replace-result'>, context: EditContext): readonly WireEdit[] {
  const { at } = change.part;
  const type = valueAt(context.entry.wire, [...at, 'type']);
  if (type !== 'tool_result' && type !== 'mcp_tool_result') return [];
  return editResult(change, context, { contentAt: [...at, 'content'], textBlock });
}

type Message = AnthropicMessage | AnthropicSystemMessage;

/**
 * A user message carries its results before its text. What an assistant says after a result of its own becomes a
 * second assistant message, with the result in a user message between.
 */
function composeAnthropic(item: Synthetic): Composed<Message> {
  if (item.role === 'system') return composeSystem(item);
  const runs = runsOf(item);
  if (item.role === 'assistant') {
    return joinComposed(
      runs.map((run) =>
        run.type === 'speech'
          ? message('assistant', sayAll(run.parts, sayAsAssistant))
          : message('user', sayAll(run.results, sayResult)),
      ),
    );
  }
  const said = runs.map((run): Composed<Block> =>
    run.type === 'results' ? sayAll(run.results, sayResult) : sayAll(run.parts, sayAsUser),
  );
  return message('user', joinComposed(said));
}

function composeSystem({ parts }: Synthetic): Composed<Message> {
  const placed = parts.map((part, index) => ({ part, index }));
  return inOneText(placed, sayInSystem, (content) => ({ role: 'system', content }));
}

function sayInSystem(part: NeutralPart): Said<TextBlock> {
  return part.type === 'text'
    ? sayText(part.text)
    : { blocks: [], reasons: ['a system message is only text'] };
}

function message(role: AnthropicMessage['role'], said: Composed<Block>): Composed<Message> {
  return inOneMessage(said, (blocks) => ({ role, content: shortest(blocks) }));
}

function sayResult({ callId, content, isError }: NeutralResult): Said<ToolResultBlock> {
  const { blocks, reasons } = sayContent(content, sayInResult);
  const block = { type: 'tool_result', tool_use_id: legalId(callId), content: shortest(blocks) } as const;
  return { blocks: [isError ? { ...block, is_error: true } : block], reasons };
}

function sayAsAssistant(part: NeutralSpeech): Said<TextBlock | ToolUseBlock> {
  if (part.type === 'text') return sayText(part.text);
  if (part.type === 'media') {
    return { ...sayText(mediaStub(part)), reasons: [`an assistant message holds no ${part.mediaType}`] };
  }
  if (part.type === 'reasoning') return { blocks: [], reasons: ['only signed thinking is accepted'] };
  const { callId, name, input } = part;
  const block = { type: 'tool_use', id: legalId(callId), name } as const;
  if (isObject(input)) return { blocks: [{ ...block, input }] };
  const isNothing = input === undefined || input === null || input === '';
  if (isNothing) return { blocks: [{ ...block, input: {} }] };
  return {
    blocks: [{ ...block, input: { input } }],
    reasons: ['arguments that are no object are wrapped in one'],
  };
}

function sayAsUser(part: NeutralSpeech): Said<TextBlock | MediaBlock> {
  if (part.type === 'text' || part.type === 'media') return sayInResult(part);
  return onlyOfAssistants(part);
}

function sayInResult(part: NeutralContent): Said<TextBlock | MediaBlock> {
  if (part.type === 'text') return sayText(part.text);
  const block = mediaBlock(part);
  if (block) return { blocks: [block] };
  return { ...sayText(mediaStub(part)), reasons: [`the format holds no ${part.mediaType}`] };
}

const imageTypes: ReadonlySet<string> = new Set<ImageType>([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
]);

function mediaBlock({ mediaType, source }: NeutralMedia): MediaBlock | undefined {
  if (source.type === 'url') {
    const { url } = source;
    if (mediaType.startsWith('image/')) return { type: 'image', source: { type: 'url', url } };
    return mediaType === 'application/pdf' ? { type: 'document', source: { type: 'url', url } } : undefined;
  }
  const { data } = source;
  if (imageTypes.has(mediaType)) {
    return { type: 'image', source: { type: 'base64', media_type: mediaType as ImageType, data } };
  }
  if (mediaType !== 'application/pdf') return undefined;
  return { type: 'document', source: { type: 'base64', media_type: mediaType, data } };
}

/** Ids of other formats may hold characters that are refused here; call and result are changed alike. */
function legalId(callId: string): string {
  return callId.replace(/[^a-zA-Z0-9_-]/g, '_');
}

/** The part of the Messages format that this codec writes. It reads more; see `decode.ts`. */
export interface AnthropicMessage {
  role: 'user' | 'assistant';
  content: string | Block[];
}

/** System text lies outside the messages; newer models also take it among them. */
export interface AnthropicSystemMessage {
  role: 'system';
  content: string;
}

type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

type MediaBlock =
  | { type: 'image'; source: { type: 'base64'; media_type: ImageType; data: string } | UrlSource }
  | { type: 'document'; source: { type: 'base64'; media_type: 'application/pdf'; data: string } | UrlSource };

interface UrlSource {
  type: 'url';
  url: string;
}

interface ToolUseBlock {
  type: 'tool_use';
  id: string;
  name: string;
  input: unknown;
}

interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content: string | (TextBlock | MediaBlock)[];
  is_error?: true;
}

type Block = TextBlock | MediaBlock | ToolUseBlock | ToolResultBlock;
