import type { Path } from '../../json/json.ts';
import type { Entry, MediaPart, Part, ResultPiece, Role } from '../../transcript/entry.ts';
import type { ItemDecoder, ItemFormat } from '../decode-items.ts';
import {
  barrierItem,
  callItem,
  decodeItem,
  opaqueItem,
  outputItem,
  readInput,
  reasoningPart,
} from '../decode-items.ts';
import type { DecoderTable, PartDecoder, Roles, WireObject } from '../decode-parts.ts';
import {
  decodeBlock,
  decodePieces,
  decodeRefusal,
  decodeText,
  opaquePart,
  readCallId,
  readText,
} from '../decode-parts.ts';
import {
  base64Media,
  decodeAudio,
  mediaAtUrl,
  mediaElsewhere,
  mediaInData,
  mediaPart,
  mediaTypeOfName,
} from '../media.ts';

export const roles: Roles = new Map<unknown, Role>([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
  ['developer', 'system'],
]);

export function decodeResponsesItem(item: unknown, ordinal: number): Entry {
  return decodeItem(item, ordinal, format);
}

/** Blocks of messages and of tool outputs. */
const contentBlocks: DecoderTable<ResultPiece> = new Map<string, PartDecoder<ResultPiece>>([
  ['input_text', decodeText],
  ['output_text', decodeText],
  ['text', decodeText],
  ['refusal', decodeRefusal],
  ['input_image', decodeImage],
  ['computer_screenshot', decodeImage],
  ['input_file', decodeFile],
  ['input_audio', decodeAudio],
]);

const call = callItem(({ call_id: callId, id }) => readCallId(callId, id));
const output = outputItem(
  ({ call_id: callId, id }) => readCallId(callId, id),
  (value, type) =>
    type === 'computer_call_output'
      ? [decodeBlock(value, ['output'], contentBlocks)]
      : decodePieces(value, ['output'], contentBlocks),
);
const server: ItemDecoder = { role: 'assistant', decode: decodeServerItem };

const format: ItemFormat = {
  roles,
  contentBlocks,
  items: new Map([
    ['reasoning', { role: 'assistant', decode: decodeReasoning }],
    ['function_call', call],
    ['custom_tool_call', call],
    ['local_shell_call', call],
    ['shell_call', call],
    ['apply_patch_call', call],
    ['computer_call', call],
    ['tool_search_call', call],
    ['function_call_output', output],
    ['custom_tool_call_output', output],
    ['local_shell_call_output', output],
    ['shell_call_output', output],
    ['apply_patch_call_output', output],
    ['computer_call_output', output],
    ['tool_search_output', output],
    ['web_search_call', server],
    ['file_search_call', server],
    ['code_interpreter_call', server],
    ['image_generation_call', server],
    ['mcp_call', server],
    ['compaction', barrierItem],
    ['compaction_summary', barrierItem],
    ['context_compaction', barrierItem],
    ['mcp_approval_response', opaqueItem('tool')],
    ['program_output', opaqueItem('assistant')],
    ['additional_tools', opaqueItem('system')],
    ['configuration_update', opaqueItem('system')],
    ['compaction_trigger', opaqueItem('system')],
  ] satisfies [string, ItemDecoder][]),
  // What is called an output answers something; the rest the model made.
  roleOfUnknown: (type) => (type.endsWith('_output') ? 'tool' : 'assistant'),
};

function decodeReasoning(item: WireObject): readonly Part[] | undefined {
  const { summary, content, encrypted_content: encrypted } = item;
  if (summary !== undefined && !Array.isArray(summary)) return undefined;
  return [reasoningPart([summary, content], readText(encrypted).length)];
}

function decodeImage({ image_url: url, file_id: id, detail }: WireObject, at: Path): MediaPart | undefined {
  if (typeof url === 'string') return mediaPart(at, { ...mediaAtUrl(url, 'image/*'), detail });
  return typeof id === 'string'
    ? mediaPart(at, { mediaType: 'image/*', bytes: mediaElsewhere, detail })
    : undefined;
}

function decodeFile(block: WireObject, at: Path): MediaPart | undefined {
  const { file_data: data, file_url: url, file_id: id, filename } = block;
  const guess = mediaTypeOfName(filename);
  if (typeof data === 'string') return mediaPart(at, { ...mediaInData(data, guess), filename });
  if (typeof url !== 'string' && typeof id !== 'string') return undefined;
  return mediaPart(at, { mediaType: guess, bytes: mediaElsewhere, filename });
}

interface ServerItemShape {
  readonly name?: string;
  /** The field that holds the arguments. */
  readonly input: string;
  readonly pieces: (item: WireObject) => readonly ResultPiece[];
}

const serverShapes: ReadonlyMap<string, ServerItemShape> = new Map<string, ServerItemShape>([
  ['web_search_call', { name: 'web_search', input: 'action', pieces: () => [] }],
  [
    'file_search_call',
    { name: 'file_search', input: 'queries', pieces: (item) => opaquePieces(item, 'results') },
  ],
  [
    'code_interpreter_call',
    { name: 'code_interpreter', input: 'code', pieces: (item) => opaquePieces(item, 'outputs') },
  ],
  ['image_generation_call', { name: 'image_generation', input: 'revised_prompt', pieces: imagePieces }],
  ['mcp_call', { input: 'arguments', pieces: mcpPieces }],
]);

/** A tool that the provider ran itself: one item is call and result at once. */
function decodeServerItem(item: WireObject): readonly Part[] | undefined {
  const shape = serverShapes.get(readText(item['type']));
  const name = readText(item['name']) || shape?.name;
  if (!shape || name === undefined) return undefined;
  const callId = readCallId(item['id'], name);
  const isError = item['status'] === 'failed' || (item['error'] !== undefined && item['error'] !== null);
  const shared = { at: [] as Path, callId, name, isProviderExecuted: true } as const;
  return [
    { type: 'call', ...shared, input: readInput(item, shape.input) },
    { type: 'result', ...shared, isError, pieces: shape.pieces(item) },
  ];
}

function opaquePieces(item: WireObject, field: string): readonly ResultPiece[] {
  const value = item[field];
  return value === undefined || value === null ? [] : [opaquePart(value, [field])];
}

function mcpPieces(item: WireObject): readonly ResultPiece[] {
  const { output: text } = item;
  return typeof text === 'string' ? [{ type: 'text', at: ['output'], text }] : opaquePieces(item, 'output');
}

function imagePieces(item: WireObject): readonly ResultPiece[] {
  const { result: data, output_format: extension } = item;
  if (typeof data !== 'string') return opaquePieces(item, 'result');
  return [
    mediaPart(['result'], { mediaType: `image/${readText(extension) || 'png'}`, bytes: base64Media(data) }),
  ];
}
