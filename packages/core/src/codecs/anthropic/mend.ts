import type { Path } from '../../json/json.ts';
import { isObject } from '../../json/json.ts';
import { jsonText } from '../../transcript/entry-text.ts';
import type { WireObject } from '../decode-parts.ts';
import type { BlockMender, BlockShape, MemberChecks, Mending } from '../mending.ts';
import { roles } from './decode.ts';
import {
  isTextOrNull,
  mendBlock,
  mendBlocks,
  mendInput,
  mendList,
  mendName,
  mendOutput,
  mendText,
  oneOf,
  requireRole,
  withMembers,
  withoutUnfit,
} from '../mending.ts';

const foreignBlocks =
  'input_text output_text input_image input_file image_url video_url input_audio refusal reasoning function_call tool_call tool-call tool-result'.split(
    ' ',
  );
const longestName = 128;

const blocks: ReadonlyMap<unknown, BlockMender> = new Map<unknown, BlockMender>([
  ['text', mendText],
  ['thinking', mendThinking],
  ['redacted_thinking', mendRedacted],
  ['tool_use', mendCall],
  ['server_tool_use', mendServerCall],
  ['mcp_tool_use', mendServerCall],
  ['tool_result', mendResult],
  ['image', mendSource],
  ['document', mendSource],
]);

const blockMembers: MemberChecks = {
  cache_control: (value) => value === null || isObject(value),
  citations: (value) => value === null || isObject(value) || Array.isArray(value),
  title: isTextOrNull,
  context: isTextOrNull,
};

export function mendAnthropic(given: unknown, mending: Mending): unknown {
  const message = requireRole(given, roles, mending);
  const { content } = message;
  if (typeof content === 'string') return message;
  if (!Array.isArray(content)) mending.refuse(['content'], 'a text or a list of content blocks', content);
  return withMembers(message, {
    content: mendBlocks(content as unknown[], ['content'], blockShape, mending),
  });
}

const blockShape: BlockShape = { textType: 'text', foreign: foreignBlocks, mend: mendContentBlock };

function mendContentBlock(given: WireObject, at: Path, mending: Mending): unknown {
  const block = withoutUnfit(given, at, blockMembers, mending);
  return (blocks.get(block['type']) ?? mendServerResult)(block, at, mending);
}

/** Only thinking that Anthropic has signed is taken back. */
function mendThinking(block: WireObject, at: Path, mending: Mending): unknown {
  const { thinking, signature } = block;
  const isSigned = typeof signature === 'string' && signature !== '';
  return isSigned && typeof thinking === 'string' ? block : mending.drop(at, 'unsigned thinking left out');
}

function mendRedacted(block: WireObject, at: Path, mending: Mending): unknown {
  const { data } = block;
  return typeof data === 'string' && data !== ''
    ? block
    : mending.drop(at, 'redacted thinking without data left out');
}

function mendCall(block: WireObject, at: Path, mending: Mending): unknown {
  const name = mendName(block['name'], [...at, 'name'], longestName, mending);
  if (name === undefined) return mending.drop(at, 'a call without the name of a tool left out');
  return withMembers(block, {
    id: mending.callId([...at, 'id'], block['id'], name),
    name,
    input: mendInput(block['input'], [...at, 'input'], mending),
  });
}

/** Call and result of the provider's own tools point to each other by an id that nobody may make up. */
function mendServerCall(block: WireObject, at: Path, mending: Mending): unknown {
  const { id, input } = block;
  const name = mendName(block['name'], [...at, 'name'], longestName, mending);
  if (!isName(id) || name === undefined)
    return mending.drop(at, 'a call of the provider without id or name left out');
  return withMembers(block, { name, input: mendInput(input, [...at, 'input'], mending) });
}

/** Results of the provider's own tools, and blocks that are not known here. */
function mendServerResult(block: WireObject, at: Path, mending: Mending): unknown {
  const isResult = String(block['type']).endsWith('_tool_result');
  return !isResult || isName(block['tool_use_id'])
    ? block
    : mending.drop(at, 'a result without the id of its call left out');
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function mendResult(block: WireObject, at: Path, mending: Mending): unknown {
  const answered = mending.answered([...at, 'tool_use_id'], block['tool_use_id']);
  if (!answered) return mending.drop(at, 'a result without the id of its call left out');
  const { is_error: isError } = block;
  const isFlag = isError === undefined || typeof isError === 'boolean';
  return withMembers(block, {
    tool_use_id: answered.callId,
    content: resultContent(block['content'], [...at, 'content'], mending),
    is_error: isFlag ? isError : mending.put([...at, 'is_error'], 'became true or false', Boolean(isError)),
  });
}

function resultContent(content: unknown, at: Path, mending: Mending): unknown {
  if (content === undefined || typeof content === 'string') return content;
  if (!Array.isArray(content)) return mendOutput(content, at, mending);
  if (content.length === 0) return content;
  const mended = mendList(content, at, (piece, place) => mendPiece(piece, place, mending));
  return mended.length === 0 ? '' : mended;
}

/** What stands in a result. Empty texts are refused there too; what is no block was meant as data. */
function mendPiece(given: unknown, at: Path, mending: Mending): unknown {
  const isData =
    (isObject(given) && typeof given['type'] !== 'string' && typeof given['text'] !== 'string') ||
    typeof given === 'number';
  const piece = isData
    ? mending.put(at, 'data became text', { type: 'text', text: jsonText(given) })
    : mendBlock(given, at, { ...blockShape, mend: mendInResult }, mending);
  const isBlankText = isObject(piece) && piece['type'] === 'text' && String(piece['text']).trim() === '';
  return isBlankText ? mending.drop(at, 'an empty text in a result left out') : piece;
}

function mendInResult(block: WireObject, at: Path, mending: Mending): unknown {
  const { type } = block;
  if (type === 'text') return mendText(block, at, mending);
  return type === 'image' || type === 'document' ? mendSource(block, at, mending) : block;
}

/** The field that each kind of source holds its data in. */
const sources: ReadonlyMap<unknown, string> = new Map([
  ['base64', 'data'],
  ['text', 'data'],
  ['url', 'url'],
  ['file', 'file_id'],
]);

function mendSource(block: WireObject, at: Path, mending: Mending): unknown {
  const { source } = block;
  const place = [...at, 'source'];
  if (!isObject(source)) return mending.refuse(place, 'an object with a type', source);
  const { type, media_type: mediaType } = source;
  if (block['type'] === 'document' && type === 'content') return block;
  const field = sources.get(type);
  if (field === undefined) return mending.refuse([...place, 'type'], oneOf(sources), type);
  if (typeof source[field] !== 'string') mending.refuse([...place, field], 'a text', source[field]);
  if (field === 'data' && typeof mediaType !== 'string')
    mending.refuse([...place, 'media_type'], 'a media type', mediaType);
  return block;
}
