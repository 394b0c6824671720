import type { Path } from '../../json/json.ts';
import { isObject } from '../../json/json.ts';
import type { WireObject } from '../decode-parts.ts';
import type { ContentShape, ItemMender } from '../decode-items.ts';
import { mendContent, mendItem, mendPieces } from '../decode-items.ts';
import type { MemberChecks, Mending } from '../mending.ts';
import { roles } from './decode.ts';
import {
  isText,
  isTextOrNull,
  mendArguments,
  mendList,
  mendName,
  requireRole,
  withMembers,
} from '../mending.ts';

const foreignBlocks =
  'image_url video_url image document file thinking redacted_thinking tool_use tool_result tool-call tool-result'.split(
    ' ',
  );
const longestName = 64;

const items: ReadonlyMap<unknown, ItemMender> = new Map<unknown, ItemMender>([
  ['message', mendMessage],
  ['function_call', (item, mending) => mendCall(item, 'arguments', mending)],
  ['custom_tool_call', (item, mending) => mendCall(item, 'input', mending)],
  ['function_call_output', mendResult],
  ['custom_tool_call_output', mendResult],
  ['reasoning', mendReasoning],
  ['item_reference', mendReference],
]);

/** Ids of items are optional: one that is none goes. */
const itemMembers: MemberChecks = {
  id: (value) => isText(value) && value !== '',
  status: isText,
  phase: isTextOrNull,
};

const inputShape: ContentShape = {
  textType: 'input_text',
  hasRefusals: true,
  foreign: foreignBlocks,
  members: { detail: isText, filename: isTextOrNull, annotations: Array.isArray },
  media: mendMedia,
};

const outputShape: ContentShape = { ...inputShape, textType: 'output_text' };

export function mendResponsesItem(item: unknown, mending: Mending): unknown {
  const shape = { what: 'an item of the format', members: itemMembers, items, message: mendMessage };
  return mendItem(item, { ...shape, other: mendOther }, mending);
}

function mendMessage(item: WireObject, mending: Mending): unknown {
  const message = requireRole(item, roles, mending);
  const { content } = message;
  if (typeof content === 'string') return message;
  if (!Array.isArray(content)) mending.refuse(['content'], 'a text or a list of content blocks', content);
  const shape = message['role'] === 'assistant' ? outputShape : inputShape;
  return withMembers(message, { content: mendContent(content as unknown[], ['content'], shape, mending) });
}

function mendMedia(block: WireObject, at: Path, mending: Mending): unknown {
  const { type } = block;
  if (type === 'input_image') return mendImage(block, at, mending);
  if (type !== 'input_file') return block;
  const hasFile = ['file_data', 'file_id', 'file_url'].some((key) => typeof block[key] === 'string');
  return hasFile
    ? block
    : mending.refuse(at, 'a file with file_data, file_id or file_url', block['file_data']);
}

function mendImage(block: WireObject, at: Path, mending: Mending): unknown {
  const { image_url: url, file_id: id } = block;
  if (typeof url === 'string' || (typeof id === 'string' && (url === undefined || url === null)))
    return block;
  const inner = isObject(url) ? url['url'] : undefined;
  const place = [...at, 'image_url'];
  if (typeof inner !== 'string') return mending.refuse(place, 'a url', url);
  return withMembers(block, { image_url: mending.put(place, 'an object with a url became the url', inner) });
}

function mendCall(item: WireObject, field: string, mending: Mending): unknown {
  const name = mendName(item['name'], ['name'], longestName, mending);
  if (name === undefined) return mending.refuse(['name'], 'the name of a tool', item['name']);
  return withMembers(item, {
    call_id: mending.callId(['call_id'], item['call_id'], name),
    name,
    [field]: mendArguments(item[field], [field], mending),
  });
}

function mendResult(item: WireObject, mending: Mending): unknown {
  const { call_id: callId, output } = item;
  const answered = mending.answered(['call_id'], callId);
  if (!answered) return mending.refuse(['call_id'], 'the id of a call', callId);
  return withMembers(item, {
    call_id: answered.callId,
    output: mendPieces(output, inputShape, mending),
  });
}

/** Items of other types are taken as they are; what pairs them has to be an id. */
function mendOther(item: WireObject, mending: Mending): unknown {
  const { type, call_id: callId } = item;
  const isResult = String(type).endsWith('_output');
  if (callId === undefined || typeof callId === 'string') return item;
  if (!isResult && callId === null) return item;
  const id = isResult
    ? mending.answered(['call_id'], callId)?.callId
    : mending.callId(['call_id'], callId, String(type));
  if (id === undefined) return mending.refuse(['call_id'], 'the id of a call', callId);
  return withMembers(item, { call_id: id });
}

function mendReasoning(item: WireObject, mending: Mending): unknown {
  const { summary, content, encrypted_content: encrypted } = item;
  const isSecret = encrypted === undefined || encrypted === null || typeof encrypted === 'string';
  const isList = content === undefined || content === null || Array.isArray(content);
  return withMembers(item, {
    summary: Array.isArray(summary)
      ? mendList(summary, ['summary'], (block, at) => mendThought(block, at, 'summary_text', mending))
      : mending.put(['summary'], 'became a list', []),
    content: isList
      ? Array.isArray(content)
        ? mendList(content, ['content'], (block, at) => mendThought(block, at, 'reasoning_text', mending))
        : content
      : mending.put(['content'], 'was no list', undefined),
    encrypted_content: isSecret ? encrypted : mending.put(['encrypted_content'], 'was no text', undefined),
  });
}

function mendThought(block: unknown, at: Path, type: string, mending: Mending): unknown {
  const isThought = isObject(block) && block['type'] === type && typeof block['text'] === 'string';
  return isThought ? block : mending.drop(at, 'was no text of reasoning');
}

function mendReference(item: WireObject, mending: Mending): unknown {
  return typeof item['id'] === 'string' ? item : mending.refuse(['id'], 'the id of an item', item['id']);
}
