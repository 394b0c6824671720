import type { WireEdit } from '../../json/json.ts';
import { isObject, valueAt } from '../../json/json.ts';
import type { Codec, Composed, NeutralContent, NeutralMedia, Synthetic, WireRules } from '../codec.ts';
import { sourceOfBlock } from '../media.ts';
import type { NeutralResult, NeutralSpeech, Placed, Said, SaidAll } from '../neutral-parts.ts';
import {
  composed,
  joinComposed,
  mediaStub,
  neutralParts,
  onlyOfAssistants,
  runsOf,
  sayAll,
  sayContent,
  shortest,
} from '../neutral-parts.ts';
import { decodeAnthropic } from './decode.ts';
import { mendAnthropic } from './mend.ts';
import type { ChangeOfType, EditContext, EditTable } from '../edit-table.ts';
import { blockEdits, editResult, editWith, textBlock } from '../edit-table.ts';

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
  if (item.role === 'assistant') return composeAssistant(item);
  const said = runsOf(item).map((run) =>
    run.type === 'results' ? sayResults(run.results) : sayAll<NeutralSpeech, Block>(run.parts, sayAsUser),
  );
  return message('user', {
    blocks: said.flatMap(({ blocks }) => blocks),
    losses: said.flatMap(({ losses }) => losses),
  });
}

function composeSystem({ parts }: Synthetic): Composed<Message> {
  const texts = parts.flatMap((part) => (part.type === 'text' && part.text !== '' ? [part.text] : []));
  const losses = parts.flatMap((part, index) =>
    part.type === 'text' ? [] : [{ path: `parts[${index}]`, reason: 'a system message is only text' }],
  );
  return { messages: texts.length === 0 ? [] : [{ role: 'system', content: texts.join('\n\n') }], losses };
}

function composeAssistant(item: Synthetic): Composed<Message> {
  return joinComposed(
    runsOf(item).map((run) =>
      run.type === 'speech'
        ? message('assistant', sayAll(run.parts, sayAsAssistant))
        : message('user', sayResults(run.results)),
    ),
  );
}

function message(role: AnthropicMessage['role'], said: SaidAll<Block>): Composed<Message> {
  return composed(said, (blocks) => ({ role, content: shortest(blocks) }));
}

function sayResults(results: readonly Placed<NeutralResult>[]): SaidAll<ToolResultBlock> {
  const said = results.map(({ part, index }) => {
    const { blocks, losses } = sayContent(part.content, index, sayInResult);
    const block: ToolResultBlock = {
      type: 'tool_result',
      tool_use_id: legalId(part.callId),
      content: shortest(blocks),
      ...(part.isError && { is_error: true }),
    };
    return { block, losses };
  });
  return { blocks: said.map(({ block }) => block), losses: said.flatMap(({ losses }) => losses) };
}

function sayAsAssistant(part: NeutralSpeech): Said<TextBlock | ToolUseBlock> {
  if (part.type === 'text') return sayText(part.text);
  if (part.type === 'media') {
    return { ...sayText(mediaStub(part)), reason: `an assistant message holds no ${part.mediaType}` };
  }
  if (part.type === 'reasoning') return { blocks: [], reason: 'only signed thinking is accepted' };
  const { callId, name, input } = part;
  const block = { type: 'tool_use', id: legalId(callId), name } as const;
  if (isObject(input)) return { blocks: [{ ...block, input }] };
  const isNothing = input === undefined || input === null || input === '';
  if (isNothing) return { blocks: [{ ...block, input: {} }] };
  return {
    blocks: [{ ...block, input: { input } }],
    reason: 'arguments that are no object are wrapped in one',
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
  return { ...sayText(mediaStub(part)), reason: `the format holds no ${part.mediaType}` };
}

/** Empty text blocks are refused. */
function sayText(text: string): Said<TextBlock> {
  return { blocks: text === '' ? [] : [{ type: 'text', text }] };
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

interface TextBlock {
  type: 'text';
  text: string;
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
