import type { Path } from '../../json/json.ts';
import { textOf } from '../../json/json.ts';
import type { CallId, Entry, MediaPart, Part, ResultPiece, Role } from '../../transcript/entry.ts';
import type { ItemDecoder, ItemFormat } from '../decode-items.ts';
import {
  barrierItem,
  callItems,
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
} from '../decode-parts.ts';
import { base64Media, decodeAudio, decodeFile, mediaAtUrl, mediaElsewhere, mediaPart } from '../media.ts';

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

const output = outputItem(callIdOf, (value, type) =>
  type === 'computer_call_output'
    ? [decodeBlock(value, ['output'], contentBlocks)]
    : decodePieces(value, ['output'], contentBlocks),
);

const format: ItemFormat = {
  roles,
  contentBlocks,
  items: new Map([
    ['reasoning', { role: 'assistant', decode: decodeReasoning }],
    ...callItems(callIdOf),
    ['function_call_output', output],
    ['custom_tool_call_output', output],
    ['local_shell_call_output', output],
    ['shell_call_output', output],
    ['apply_patch_call_output', output],
    ['computer_call_output', output],
    ['tool_search_output', output],
    ['web_search_call', serverItem('web_search', 'action', () => [])],
    ['file_search_call', serverItem('file_search', 'queries', (item) => opaquePieces(item, 'results'))],
    [
      'code_interpreter_call',
      serverItem('code_interpreter', 'code', (item) => opaquePieces(item, 'outputs')),
    ],
    ['image_generation_call', serverItem('image_generation', 'revised_prompt', imagePieces)],
    ['mcp_call', serverItem(undefined, 'arguments', mcpPieces)],
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

function callIdOf({ call_id: callId, id }: WireObject): CallId {
  return readCallId(callId, id);
}

function decodeReasoning(item: WireObject): readonly Part[] | undefined {
  const { summary, content, encrypted_content: encrypted } = item;
  if (summary !== undefined && !Array.isArray(summary)) return undefined;
  return [reasoningPart([summary, content], textOf(encrypted).length)];
}

function decodeImage({ image_url: url, file_id: id, detail }: WireObject, at: Path): MediaPart | undefined {
  if (typeof url === 'string') return mediaPart(at, { ...mediaAtUrl(url, 'image/*'), detail });
  return typeof id === 'string'
    ? mediaPart(at, { mediaType: 'image/*', bytes: mediaElsewhere, detail })
    : undefined;
}

/**
 * A tool that the provider ran itself: one item is call and result at once.
 *
 * @param ownName where the item states none
 * @param input the field that holds the arguments
 */
function serverItem(
  ownName: string | undefined,
  input: string,
  piecesOf: (item: WireObject) => readonly ResultPiece[],
): ItemDecoder {
  const decode = (item: WireObject): readonly Part[] | undefined => {
    const name = textOf(item['name']) || ownName;
    if (name === undefined) return undefined;
    const callId = readCallId(item['id'], name);
    const isError = item['status'] === 'failed' || (item['error'] !== undefined && item['error'] !== null);
    const shared = { at: [] as Path, callId, name, isProviderExecuted: true } as const;
    return [
      { type: 'call', ...shared, input: readInput(item, input) },
      { type: 'result', ...shared, isError, pieces: piecesOf(item) },
    ];
  };
  return { role: 'assistant', decode };
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
    mediaPart(['result'], { mediaType: `image/${textOf(extension) || 'png'}`, bytes: base64Media(data) }),
  ];
}
