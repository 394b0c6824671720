import { isObject } from '../../json/json.ts';
import type { Composed, NeutralContent, NeutralMedia, Synthetic } from '../codec.ts';
import type { NeutralResult, NeutralSpeech, Placed, Said } from '../compose-parts.ts';
import { runsOf, sayAll, sayContent } from '../compose-parts.ts';
import { mediaStub } from '../neutral-parts.ts';
import type {
  AnthropicMessage,
  AnthropicSystemMessage,
  Block,
  ImageType,
  MediaBlock,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from './wire.ts';

type Message = AnthropicMessage | AnthropicSystemMessage;

/**
 * A user message carries its results before its text. What an assistant says after a result of its own becomes a
 * second assistant message, with the result in a user message between.
 */
export function composeAnthropic(item: Synthetic): Composed<Message> {
  if (item.role === 'system') return composeSystem(item);
  if (item.role === 'assistant') return composeAssistant(item);
  const said = runsOf(item).map((run) =>
    run.type === 'results' ? sayResults(run.results) : sayAll<NeutralSpeech, Block>(run.parts, sayAsUser),
  );
  return message(
    'user',
    said.flatMap(({ blocks }) => blocks),
    said.flatMap(({ losses }) => losses),
  );
}

function composeSystem({ parts }: Synthetic): Composed<Message> {
  const texts = parts.flatMap((part) => (part.type === 'text' && part.text !== '' ? [part.text] : []));
  const losses = parts.flatMap((part, index) =>
    part.type === 'text' ? [] : [{ path: `parts[${index}]`, reason: 'a system message is only text' }],
  );
  return { messages: texts.length === 0 ? [] : [{ role: 'system', content: texts.join('\n\n') }], losses };
}

function composeAssistant(item: Synthetic): Composed<Message> {
  const composed = runsOf(item).map((run): Composed<Message> => {
    if (run.type === 'speech') {
      const { blocks, losses } = sayAll(run.parts, sayAsAssistant);
      return message('assistant', blocks, losses);
    }
    const { blocks, losses } = sayResults(run.results);
    return message('user', blocks, losses);
  });
  return {
    messages: composed.flatMap(({ messages }) => messages),
    losses: composed.flatMap(({ losses }) => losses),
  };
}

function message(
  role: AnthropicMessage['role'],
  blocks: readonly Block[],
  losses: Composed<Message>['losses'],
): Composed<Message> {
  return { messages: blocks.length === 0 ? [] : [{ role, content: shortest(blocks) }], losses };
}

function shortest<Content extends Block>(blocks: readonly Content[]): string | Content[] {
  const [first] = blocks;
  return blocks.length === 1 && first?.type === 'text' ? first.text : [...blocks];
}

function sayResults(results: readonly Placed<NeutralResult>[]): {
  readonly blocks: readonly ToolResultBlock[];
  readonly losses: Composed<Message>['losses'];
} {
  const said = results.map(({ part, index }) => {
    const { blocks, losses } = sayContent(part.content, index, sayInResult);
    const content = blocks.length === 0 ? '' : shortest(blocks);
    const block: ToolResultBlock = {
      type: 'tool_result',
      tool_use_id: legalId(part.callId),
      content,
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
  return {
    blocks: [],
    reason: part.type === 'call' ? 'only an assistant calls tools' : 'only an assistant thinks',
  };
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
