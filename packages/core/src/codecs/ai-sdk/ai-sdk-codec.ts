import type { Path, WireEdit } from '../../json/json.ts';
import { isObject, valueAt } from '../../json/json.ts';
import type { Codec, Composed, NeutralContent, NeutralMedia, Synthetic, WireRules } from '../codec.ts';
import type { NeutralResult, NeutralSpeech, Said, TextBlock, Writers } from '../neutral-parts.ts';
import {
  composeRuns,
  inOneMessage,
  inOneText,
  neutralParts,
  sayAll,
  sayContent,
  sayOnlyText,
  shortest,
  textBlock,
} from '../neutral-parts.ts';
import { decodeAiSdk, itemIdPlaces } from './decode.ts';
import { mendAiSdk } from './mend.ts';
import { neutralFileData } from './file-data.ts';
import type { ChangeOfType, EditContext, EditTable } from '../edit-table.ts';
import {
  blockEdits,
  blockInPlace,
  editArguments,
  editResult,
  editTextPart,
  editWith,
  removeAt,
} from '../edit-table.ts';

const rules: WireRules = {
  resultsIn: 'tool-message',
  entriesPerResponse: 'one',
  firstIsUser: false,
  allowsConsecutiveRoles: true,
  systemMessages: 'leading',
  uniqueCallIds: false,
  resultsAdjacent: true,
  mediaIn: { user: true, assistant: true, result: true },
  resultsFirst: false,
};

/** The AI SDK's `ModelMessage`, versions 5 to 7 (and what version 4 left in stores). */
export const aiSdkCodec: Codec = {
  name: 'ai-sdk',
  rules,
  decode: decodeAiSdk,
  mend: mendAiSdk,
  edit: (entry, changes) => editWith(edits, { entry, changes }),
  compose: composeAiSdk,
  neutral: (entry) => neutralParts(entry, readMedia),
};

function readMedia(part: unknown): NeutralMedia['source'] | undefined {
  if (!isObject(part)) return undefined;
  return neutralFileData(part['image'] ?? part['data'] ?? part['url']);
}

const edits: EditTable = {
  ...blockEdits,
  'replace-result': replaceResult,
  'replace-arguments': (change, { entry }) =>
    withoutItemId(entry.wire, change.part.at, editArguments(change)),
  'replace-text': ({ part, text }, { entry }) =>
    withoutItemId(entry.wire, part.at, editTextPart(entry.wire, part, text, ['text'])),
  'rename-call': ({ part, callId }) => [{ at: [...part.at, 'toolCallId'], set: callId }],
  // A message that is one text has no place for the text to leave: the message goes.
  'drop-part': ({ part }) => removeAt(part.at.length === 1 ? [] : part.at),
};

/** OpenAI's provider sends a part that has an item id as a reference to its stored form: the edit would be lost. */
function withoutItemId(wire: unknown, at: Path, edits: readonly WireEdit[]): readonly WireEdit[] {
  if (edits.length === 0) return edits;
  const places = itemIdPlaces(valueAt(wire, at));
  return [...edits, ...places.map((place): WireEdit => ({ at: [...at, ...place], remove: true }))];
}

/** Results of the provider's own tools must keep the form it gave them. */
function replaceResult(change: ChangeOfType<'replace-result'>, context: EditContext): readonly WireEdit[] {
  const { part, text } = change;
  if (part.isProviderExecuted) return [];
  const at = [...part.at, 'output'];
  const output = valueAt(context.entry.wire, at);
  if (output === undefined) return [{ at: [...part.at, 'result'], set: text }];
  const type = isObject(output) ? output['type'] : undefined;
  if (type === 'text' || type === 'error-text') return [{ at: [...at, 'value'], set: text }];
  if (type === 'execution-denied') return [{ at: [...at, 'reason'], set: text }];
  if (type === 'content' && Array.isArray(valueAt(output, ['value']))) {
    return editResult(change, context, { contentAt: [...at, 'value'], textBlock });
  }
  const newType = part.isError ? 'error-text' : 'text';
  return [blockInPlace(context.entry.wire, at, { type: newType, value: text })];
}

/** All results of a run share one tool message; the rest is one message of the role between them. */
export function composeAiSdk(item: Synthetic): Composed<AiSdkMessage> {
  const { messages, losses } = composeRuns(item, writers);
  if (item.kind === 'converted') return { messages, losses };
  const providerOptions: ProviderOptions = { throughline: { kind: item.kind } };
  return { messages: messages.map((message) => ({ ...message, providerOptions })), losses };
}

const writers: Writers<AiSdkMessage> = {
  results: (results) =>
    inOneMessage(sayAll(results, sayResult), (said) => ({ role: 'tool', content: [...said] })),
  system: (parts) => inOneText(parts, sayOnlyText, (content) => ({ role: 'system', content })),
  user: (parts) =>
    inOneMessage(sayAll(parts, sayAsUser), (said) => ({ role: 'user', content: shortest(said) })),
  assistant: (parts) =>
    inOneMessage(sayAll(parts, sayAsAssistant), (said) => ({ role: 'assistant', content: shortest(said) })),
};

type UserPart = TextBlock | ImagePart | FilePart;
type AssistantPart = TextBlock | FilePart | ReasoningPart | ToolCallPart;

function sayResult({ callId, name, content, isError }: NeutralResult): Said<ToolResultPart> {
  const { blocks, reasons } = sayContent(content, sayOutput);
  const output = composeOutput(blocks, isError);
  const isUnsaid = isError && output.type === 'content';
  return {
    blocks: [{ type: 'tool-result', toolCallId: callId, toolName: name, output }],
    reasons: isUnsaid ? [...reasons, 'an output with media has no error flag'] : reasons,
  };
}

function composeOutput(blocks: readonly ToolOutputPart[], isError: boolean): ToolOutput {
  const [first] = blocks;
  const isText = blocks.length === 0 || (blocks.length === 1 && first?.type === 'text');
  if (!isText) return { type: 'content', value: [...blocks] };
  return { type: isError ? 'error-text' : 'text', value: first?.type === 'text' ? first.text : '' };
}

function sayAsUser(part: NeutralSpeech): Said<UserPart> {
  return part.type === 'media' ? { blocks: [mediaForUser(part)] } : sayOnlyText(part);
}

function sayAsAssistant(part: NeutralSpeech): Said<AssistantPart> {
  if (part.type === 'media') return { blocks: [filePart(part)] };
  if (part.type === 'reasoning') return { blocks: [{ type: 'reasoning', text: part.text }] };
  if (part.type === 'text') return sayOnlyText(part);
  const { callId: toolCallId, name: toolName, input } = part;
  return { blocks: [{ type: 'tool-call', toolCallId, toolName, input: input ?? {} }] };
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
  if (part.type === 'text') return { blocks: [textBlock(part.text)] };
  const { mediaType, source, filename } = part;
  const isImage = mediaType.startsWith('image/');
  if (source.type === 'url')
    return { blocks: [{ type: isImage ? 'image-url' : 'file-url', url: source.url }] };
  const { data } = source;
  if (isImage) return { blocks: [{ type: 'image-data', data, mediaType }] };
  return { blocks: [{ type: 'file-data', data, mediaType, ...(filename !== undefined && { filename }) }] };
}

/**
 * The part of the AI SDK's `ModelMessage` that this codec writes: forms that version 6 and 7 share, and version 5
 * except for media inside tool results. It reads more; see `decode.ts`.
 */
export type AiSdkMessage = { providerOptions?: ProviderOptions } & (
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | (TextBlock | ImagePart | FilePart)[] }
  | { role: 'assistant'; content: string | (TextBlock | FilePart | ReasoningPart | ToolCallPart)[] }
  | { role: 'tool'; content: ToolResultPart[] }
);

/** Options under a name that is no provider's reach no provider. */
export type ProviderOptions = { throughline: { kind: string } };

export interface ImagePart {
  type: 'image';
  image: string;
  mediaType?: string;
}

export interface FilePart {
  type: 'file';
  data: string;
  mediaType: string;
  filename?: string;
}

export interface ReasoningPart {
  type: 'reasoning';
  text: string;
}

export interface ToolCallPart {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: unknown;
}

interface ToolResultPart {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: ToolOutput;
}

export type ToolOutput =
  | { type: 'text'; value: string }
  | { type: 'error-text'; value: string }
  | { type: 'content'; value: ToolOutputPart[] };

export type ToolOutputPart =
  | TextBlock
  | { type: 'image-data'; data: string; mediaType: string }
  | { type: 'image-url'; url: string }
  | { type: 'file-data'; data: string; mediaType: string; filename?: string }
  | { type: 'file-url'; url: string };
