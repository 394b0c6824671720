import { isObject } from '../../json/json.ts';
import type { WireObject } from '../decode-parts.ts';
import type { ContentShape, ItemMender } from '../decode-items.ts';
import { contentBlocks, mendItem, mendThoughts } from '../decode-items.ts';
import type { MemberChecks, Mending } from '../mending.ts';
import { roles } from './decode.ts';
import {
  isName,
  isText,
  isTextOrNull,
  mendArguments,
  mendName,
  mendPieces,
  mendSpeech,
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
  id: isName,
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

const inputBlocks = contentBlocks(inputShape);
const outputBlocks = contentBlocks({ ...inputShape, textType: 'output_text' });

export function mendResponsesItem(item: unknown, mending: Mending): unknown {
  const shape = { what: 'an item of the format', members: itemMembers, items, message: mendMessage };
  return mendItem(item, { ...shape, other: mendOther }, mending);
}

function mendMessage(item: WireObject, mending: Mending): unknown {
  const message = requireRole(item, roles, mending);
  return mendSpeech(message, message['role'] === 'assistant' ? outputBlocks : inputBlocks, mending);
}

function mendMedia(block: WireObject, mending: Mending): unknown {
  const { type } = block;
  if (type === 'input_image') return mendImage(block, mending);
  if (type !== 'input_file') return block;
  const hasFile = ['file_data', 'file_id', 'file_url'].some((key) => typeof block[key] === 'string');
  return hasFile
    ? block
    : mending.refuse([], 'a file with file_data, file_id or file_url', block['file_data']);
}

function mendImage(block: WireObject, mending: Mending): unknown {
  const { image_url: url, file_id: id } = block;
  if (typeof url === 'string' || (typeof id === 'string' && (url === undefined || url === null)))
    return block;
  const inner = isObject(url) ? url['url'] : undefined;
  const place = ['image_url'];
  if (typeof inner !== 'string') return mending.refuse(place, 'a url', url);
  return withMembers(block, { image_url: mending.put(place, 'an object with a url became the url', inner) });
}

function mendCall(item: WireObject, field: string, mending: Mending): unknown {
  const name = mendName(item, 'name', longestName, mending);
  if (name === undefined) return mending.refuse(['name'], 'the name of a tool', item['name']);
  return withMembers(item, {
    call_id: mending.callId(['call_id'], item['call_id'], name),
    name,
    [field]: mendArguments(item, field, mending),
  });
}

function mendResult(item: WireObject, mending: Mending): unknown {
  const { call_id: callId, output } = item;
  const answered = mending.answered(['call_id'], callId);
  if (!answered) return mending.refuse(['call_id'], 'the id of a call', callId);
  return withMembers(item, {
    call_id: answered.callId,
    output: mendPieces(output, inputBlocks, mending.below('output')),
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
  return withMembers(item, {
    summary: Array.isArray(summary)
      ? mendThoughts(summary, 'summary_text', mending.below('summary'))
      : mending.put(['summary'], 'became a list', []),
    content: Array.isArray(content)
      ? mendThoughts(content, 'reasoning_text', mending.below('content'))
      : mending.optional('content', content, (value) => value === null, 'was no list'),
    encrypted_content: mending.optional('encrypted_content', encrypted, isTextOrNull, 'was no text'),
  });
}

function mendReference(item: WireObject, mending: Mending): unknown {
  return typeof item['id'] === 'string' ? item : mending.refuse(['id'], 'the id of an item', item['id']);
}
