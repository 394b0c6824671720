import type { Path } from '../../json/json.ts';
import { isObject } from '../../json/json.ts';
import type { Part, ResultPiece } from '../../transcript/entry.ts';
import type { WireObject } from '../decode-parts.ts';
import { decodeBlock, decodePieces, opaquePart, readCallId, readText } from '../decode-parts.ts';
import { contentBlocks } from './content-blocks.ts';

type PieceReader = (item: WireObject) => readonly ResultPiece[];

/** Output types whose content is neither a text nor a list of blocks. */
const readers: ReadonlyMap<string, PieceReader> = new Map<string, PieceReader>([
  ['computer_call_output', ({ output }) => [decodeBlock(output, ['output'], contentBlocks)]],
  ['shell_call_output', ({ output }) => shellPieces(output)],
  ['tool_search_output', ({ tools }) => (tools === undefined ? [] : [opaquePart(tools, ['tools'])])],
]);

/** An item that answers a call. */
export function decodeOutputItem(item: WireObject): readonly Part[] | undefined {
  const type = readText(item['type']);
  const { call_id: callId, id, name, output } = item;
  const isError = item['status'] === 'failed';
  const pieces = readers.get(type)?.(item) ?? decodePieces(output, ['output'], contentBlocks);
  return [
    {
      type: 'result',
      at: [],
      callId: readCallId(callId, id),
      isError,
      pieces,
      ...(typeof name === 'string' && { name }),
      ...(item['execution'] === 'server' && { isProviderExecuted: true }),
    },
  ];
}

/** A shell answers each command with its two streams. */
function shellPieces(output: unknown): readonly ResultPiece[] {
  if (!Array.isArray(output)) return decodePieces(output, ['output'], contentBlocks);
  return output.flatMap((chunk, index): ResultPiece[] => {
    const at: Path = ['output', index];
    if (!isObject(chunk)) return [opaquePart(chunk, at)];
    return ['stdout', 'stderr'].flatMap((stream) => {
      const text = chunk[stream];
      return typeof text === 'string' && text !== '' ? [{ type: 'text', at: [...at, stream], text }] : [];
    });
  });
}
