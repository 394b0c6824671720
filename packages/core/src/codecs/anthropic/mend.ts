import { isObject } from '../../json/json.ts';
import { jsonText } from '../../transcript/entry-text.ts';
import type { WireObject } from '../decode-parts.ts';
import type { BlockMender, BlockShape, MemberChecks, Mending } from '../mending.ts';
import { roles } from './decode.ts';
import {
  isName,
  isText,
  isTextOrNull,
  mendBlock,
  mendInput,
  mendList,
  mendName,
  mendOutput,
  mendSpeech,
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
  return mendSpeech(requireRole(given, roles, mending), blockShape, mending);
}

const blockShape: BlockShape = { textType: 'text', foreign: foreignBlocks, mend: mendContentBlock };

function mendContentBlock(given: WireObject, mending: Mending): unknown {
  const block = withoutUnfit(given, blockMembers, mending);
  return (blocks.get(block['type']) ?? mendServerResult)(block, mending);
}

/** Only thinking that Anthropic has signed is taken back. */
function mendThinking(block: WireObject, mending: Mending): unknown {
  const { thinking, signature } = block;
  return isName(signature) && isText(thinking) ? block : mending.drop('unsigned thinking left out');
}

function mendRedacted(block: WireObject, mending: Mending): unknown {
  return isName(block['data']) ? block : mending.drop('redacted thinking without data left out');
}

function mendCall(block: WireObject, mending: Mending): unknown {
  const name = mendName(block, 'name', longestName, mending);
  if (name === undefined) return mending.drop('a call without the name of a tool left out');
  return withMembers(block, {
    id: mending.callId(['id'], block['id'], name),
    name,
    input: mendInput(block, 'input', mending),
  });
}

/** Call and result of the provider's own tools point to each other by an id that nobody may make up. */
function mendServerCall(block: WireObject, mending: Mending): unknown {
  const { id } = block;
  const name = mendName(block, 'name', longestName, mending);
  if (!isName(id) || name === undefined)
    return mending.drop('a call of the provider without id or name left out');
  return withMembers(block, { name, input: mendInput(block, 'input', mending) });
}

/** Results of the provider's own tools, and blocks that are not known here. */
function mendServerResult(block: WireObject, mending: Mending): unknown {
  const isResult = String(block['type']).endsWith('_tool_result');
  return !isResult || isName(block['tool_use_id'])
    ? block
    : mending.drop('a result without the id of its call left out');
}

function mendResult(block: WireObject, mending: Mending): unknown {
  const answered = mending.answered(['tool_use_id'], block['tool_use_id']);
  if (!answered) return mending.drop('a result without the id of its call left out');
  const { is_error: isError } = block;
  const isFlag = isError === undefined || typeof isError === 'boolean';
  return withMembers(block, {
    tool_use_id: answered.callId,
    content: resultContent(block['content'], mending.below('content')),
    is_error: isFlag ? isError : mending.put(['is_error'], 'became true or false', Boolean(isError)),
  });
}

function resultContent(content: unknown, mending: Mending): unknown {
  if (content === undefined || typeof content === 'string') return content;
  if (!Array.isArray(content)) return mendOutput(content, mending);
  if (content.length === 0) return content;
  const mended = mendList(content, mending, mendPiece);
  return mended.length === 0 ? '' : mended;
}

/** What stands in a result. Empty texts are refused there too; what is no block was meant as data. */
function mendPiece(given: unknown, mending: Mending): unknown {
  const isData =
    (isObject(given) && typeof given['type'] !== 'string' && typeof given['text'] !== 'string') ||
    typeof given === 'number';
  const piece = isData
    ? mending.put([], 'data became text', { type: 'text', text: jsonText(given) })
    : mendBlock(given, { ...blockShape, mend: mendInResult }, mending);
  const isBlankText = isObject(piece) && piece['type'] === 'text' && String(piece['text']).trim() === '';
  return isBlankText ? mending.drop('an empty text in a result left out') : piece;
}

function mendInResult(block: WireObject, mending: Mending): unknown {
  const { type } = block;
  if (type === 'text') return mendText(block, mending);
  return type === 'image' || type === 'document' ? mendSource(block, mending) : block;
}

/** The field that each kind of source holds its data in. */
const sources: ReadonlyMap<unknown, string> = new Map([
  ['base64', 'data'],
  ['text', 'data'],
  ['url', 'url'],
  ['file', 'file_id'],
]);

function mendSource(block: WireObject, mending: Mending): unknown {
  const { source } = block;
  const place = ['source'];
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
