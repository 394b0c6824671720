import type { Composed, Loss, NeutralContent, NeutralMedia, Synthetic } from '../codec.ts';
import type { NeutralResult, NeutralSpeech, Placed, Said } from '../compose-parts.ts';
import { runsOf, sayAll, sayContent } from '../compose-parts.ts';
import { mediaStub } from '../neutral-parts.ts';
import type {
  AiSdkMessage,
  FilePart,
  ImagePart,
  ProviderOptions,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolOutput,
  ToolOutputPart,
  ToolResultPart,
} from './wire.ts';

/** All results of a run share one tool message; the rest is one message of the role between them. */
export function composeAiSdk(item: Synthetic): Composed<AiSdkMessage> {
  const composed = runsOf(item).map((run) =>
    run.type === 'results' ? composeResults(run.results) : composeSpeech(item.role, run.parts),
  );
  const providerOptions: ProviderOptions = { throughline: { kind: item.kind } };
  const mark = item.kind === 'converted' ? {} : { providerOptions };
  return {
    messages: composed.flatMap(({ messages }) => messages.map((message) => ({ ...message, ...mark }))),
    losses: composed.flatMap(({ losses }) => losses),
  };
}

function composeSpeech(
  role: Synthetic['role'],
  parts: readonly Placed<NeutralSpeech>[],
): Composed<AiSdkMessage> {
  if (role === 'system') {
    const { blocks, losses } = sayAll(parts, sayText);
    const content = blocks.map(({ text }) => text).join('\n\n');
    return { messages: blocks.length === 0 ? [] : [{ role, content }], losses };
  }
  if (role === 'assistant') {
    const { blocks, losses } = sayAll<NeutralSpeech, AssistantPart>(parts, sayAsAssistant);
    return { messages: blocks.length === 0 ? [] : [{ role, content: shortest(blocks) }], losses };
  }
  const { blocks, losses } = sayAll<NeutralSpeech, UserPart>(parts, sayAsUser);
  return { messages: blocks.length === 0 ? [] : [{ role: 'user', content: shortest(blocks) }], losses };
}

type UserPart = TextPart | ImagePart | FilePart;
type AssistantPart = TextPart | FilePart | ReasoningPart | ToolCallPart;

function shortest<Part extends UserPart | AssistantPart>(parts: readonly Part[]): string | Part[] {
  const [first] = parts;
  return parts.length === 1 && first?.type === 'text' ? first.text : [...parts];
}

function composeResults(results: readonly Placed<NeutralResult>[]): Composed<AiSdkMessage> {
  const said = results.map(composeResult);
  return {
    messages: [{ role: 'tool', content: said.map(({ result }) => result) }],
    losses: said.flatMap(({ losses }) => losses),
  };
}

function composeResult({ part, index }: Placed<NeutralResult>): {
  readonly result: ToolResultPart;
  readonly losses: readonly Loss[];
} {
  const { callId: toolCallId, name: toolName, content, isError } = part;
  const { blocks, losses } = sayContent(content, index, sayOutput);
  const output = composeOutput(blocks, isError);
  const isUnsaid = isError && output.type === 'content';
  const errorLoss = isUnsaid
    ? [{ path: `parts[${index}]`, reason: 'an output with media has no error flag' }]
    : [];
  return { result: { type: 'tool-result', toolCallId, toolName, output }, losses: [...losses, ...errorLoss] };
}

function composeOutput(blocks: readonly ToolOutputPart[], isError: boolean): ToolOutput {
  const [first] = blocks;
  const isText = blocks.length === 0 || (blocks.length === 1 && first?.type === 'text');
  if (!isText) return { type: 'content', value: [...blocks] };
  return { type: isError ? 'error-text' : 'text', value: first?.type === 'text' ? first.text : '' };
}

function sayAsUser(part: NeutralSpeech): Said<UserPart> {
  return part.type === 'media' ? { blocks: [mediaForUser(part)] } : sayText(part);
}

function sayAsAssistant(part: NeutralSpeech): Said<AssistantPart> {
  if (part.type === 'media') return { blocks: [filePart(part)] };
  if (part.type === 'reasoning') return { blocks: [{ type: 'reasoning', text: part.text }] };
  if (part.type === 'text') return sayText(part);
  const { callId: toolCallId, name: toolName, input } = part;
  return { blocks: [{ type: 'tool-call', toolCallId, toolName, input: input ?? {} }] };
}

function sayText(part: NeutralSpeech): Said<TextPart> {
  if (part.type === 'text') return { blocks: part.text === '' ? [] : [{ type: 'text', text: part.text }] };
  if (part.type === 'media') {
    return { blocks: [{ type: 'text', text: mediaStub(part) }], reason: `no ${part.mediaType} in this role` };
  }
  return {
    blocks: [],
    reason: part.type === 'call' ? 'only an assistant calls tools' : 'only an assistant thinks',
  };
}

function mediaForUser(part: NeutralMedia): ImagePart | FilePart {
  const { mediaType } = part;
  if (!mediaType.startsWith('image/')) return filePart(part);
  const image = dataOf(part);
  return mediaType === 'image/*' ? { type: 'image', image } : { type: 'image', image, mediaType };
}

function filePart(part: NeutralMedia): FilePart {
  const { mediaType, filename } = part;
  return { type: 'file', data: dataOf(part), mediaType, ...(filename !== undefined && { filename }) };
}

function dataOf({ source }: NeutralMedia): string {
  return source.type === 'url' ? source.url : source.data;
}

function sayOutput(part: NeutralContent): Said<ToolOutputPart> {
  if (part.type === 'text') return { blocks: [{ type: 'text', text: part.text }] };
  const { mediaType, source, filename } = part;
  const isImage = mediaType.startsWith('image/');
  if (source.type === 'url')
    return { blocks: [{ type: isImage ? 'image-url' : 'file-url', url: source.url }] };
  const { data } = source;
  if (isImage) return { blocks: [{ type: 'image-data', data, mediaType }] };
  return { blocks: [{ type: 'file-data', data, mediaType, ...(filename !== undefined && { filename }) }] };
}
