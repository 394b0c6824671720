import type { Path } from '../../json/json.ts';
import { isObject } from '../../json/json.ts';
import type { Part, ResultPart, ResultPiece } from '../../transcript/entry.ts';
import type { WireObject } from '../decode-parts.ts';
import { decodeBlock, decodePieces, opaquePart, readCallId, readText } from '../decode-parts.ts';
import { outputBlocks } from './content-blocks.ts';

type PieceReader = (item: WireObject) => readonly ResultPiece[];

/** Output types whose content is neither a text nor a list of blocks. */
const readers: ReadonlyMap<string, PieceReader> = new Map<string, PieceReader>([
  ['shell_call_output', ({ output }) => shellPieces(output)],
  ['tool_search_output', ({ tools }) => (tools === undefined ? [] : [opaquePart(tools, ['tools'])])],
]);

/** An item that answers a call. */
export function decodeOutputItem(item: WireObject): readonly Part[] | undefined {
  const { callId, call_id: providerCallId, id, name, output } = item;
  const result: ResultPart = {
    type: 'result',
    at: [],
    callId: readCallId(callId, providerCallId, id, name),
    isError: item['status'] === 'failed',
    pieces: readers.get(readText(item['type']))?.(item) ?? outputPieces(output),
    ...(typeof name === 'string' && { name }),
  };
  return [item['execution'] === 'server' ? { ...result, isProviderExecuted: true } : result];
}

/** A text, a list of blocks, or (the form older tools return) a single block. */
function outputPieces(output: unknown): readonly ResultPiece[] {
  if (isObject(output)) return [decodeBlock(output, ['output'], outputBlocks)];
  return decodePieces(output, ['output'], outputBlocks);
}

/** A shell answers each command with its two streams. */
function shellPieces(output: unknown): readonly ResultPiece[] {
  if (!Array.isArray(output)) return outputPieces(output);
  return output.flatMap((chunk, index): ResultPiece[] => {
    const at: Path = ['output', index];
    if (!isObject(chunk)) return [opaquePart(chunk, at)];
    return ['stdout', 'stderr'].flatMap((stream) => {
      const text = chunk[stream];
      return typeof text === 'string' && text !== '' ? [{ type: 'text', at: [...at, stream], text }] : [];
    });
  });
}
