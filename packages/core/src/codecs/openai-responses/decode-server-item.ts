import type { Path } from '../../json/json.ts';
import type { CallInput, Part, ResultPiece } from '../../transcript/entry.ts';
import type { WireObject } from '../decode-parts.ts';
import { opaquePart, readCallId, readText } from '../decode-parts.ts';
import { base64Media, mediaPart } from '../media.ts';

interface ServerItemShape {
  readonly name?: string;
  /** The field that holds the arguments. */
  readonly input: string;
  readonly pieces: (item: WireObject) => readonly ResultPiece[];
}

const shapes: ReadonlyMap<string, ServerItemShape> = new Map<string, ServerItemShape>([
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
export function decodeServerItem(item: WireObject): readonly Part[] | undefined {
  const shape = shapes.get(readText(item['type']));
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

function readInput(item: WireObject, field: string): CallInput {
  const value = item[field];
  const isJsonText = field === 'arguments' && typeof value === 'string';
  return isJsonText ? { type: 'text', text: value, at: [field] } : { type: 'value', value, at: [field] };
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
  const { result: data, output_format: format } = item;
  if (typeof data !== 'string') return opaquePieces(item, 'result');
  return [
    mediaPart(['result'], { mediaType: `image/${readText(format) || 'png'}`, bytes: base64Media(data) }),
  ];
}
