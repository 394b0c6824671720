import { isObject } from '../../json/json.ts';
import type { WireObject } from '../decode-parts.ts';
import type { ContentShape, ItemMender } from '../decode-items.ts';
import { contentBlocks, mendItem, mendThoughts } from '../decode-items.ts';
import type { MemberChecks, Mending } from '../mending.ts';
import {
  isName,
  isText,
  isTextOrNull,
  joinedText,
  mendArguments,
  mendBlocks,
  mendName,
  mendPieces,
  mendSpeech,
  requireRole,
  withMembers,
} from '../mending.ts';
import { isBytes, mediaValue, roles } from './decode.ts';

const longestName = 64;
const states: readonly unknown[] = ['in_progress', 'completed', 'incomplete'];
const isStatus = (value: unknown): boolean => states.includes(value);

const items: ReadonlyMap<unknown, ItemMender> = new Map<unknown, ItemMender>([
  ['message', mendMessage],
  ['function_call', mendCall],
  ['function_call_result', mendResult],
  ['reasoning', mendReasoning],
  ['hosted_tool_call', mendHosted],
]);

const phases: readonly unknown[] = ['commentary', 'final_answer'];

const itemMembers: MemberChecks = {
  providerData: isObject,
  namespace: isText,
  caller: isObject,
  phase: (value) => phases.includes(value),
  id: isName,
};

export function mendAgentsItem(item: unknown, mending: Mending): unknown {
  const shape = { what: 'an item of the SDK', members: itemMembers, items, message: mendMessage };
  return mendItem(item, { ...shape, other: (found) => found }, mending);
}

function mendMessage(item: WireObject, mending: Mending): unknown {
  const message = requireRole(item, roles, mending);
  const { role } = message;
  if (role === 'assistant') return mendAnswer(message, mending);
  const mended = mendSpeech(message, inputBlocks, mending);
  const { content } = mended;
  if (role !== 'system' || !Array.isArray(content)) return mended;
  const text = joinedText(content, 'blocks of a system message became a text', mending);
  return withMembers(message, { content: text });
}

function mendAnswer(message: WireObject, mending: Mending): unknown {
  const { content } = message;
  const blocks = typeof content === 'string' ? textBlocks(content, mending) : content;
  if (!Array.isArray(blocks)) mending.refuse(['content'], 'a list of content blocks', content);
  return withMembers(withStatus(message, mending), {
    content: mendBlocks(blocks as unknown[], outputBlocks, mending.below('content')),
  });
}

function textBlocks(text: string, mending: Mending): readonly unknown[] {
  return mending.put(
    ['content'],
    'a bare text became a block',
    text === '' ? [] : [{ type: 'output_text', text }],
  );
}

function withStatus(item: WireObject, mending: Mending): WireObject {
  const { status } = item;
  if (isStatus(status)) return item;
  return withMembers(item, { status: mending.put(['status'], 'was no status', 'completed') });
}

const mediaTypes: readonly unknown[] = ['input_image', 'input_file', 'image', 'file', 'audio'];

const inputShape: ContentShape = {
  textType: 'input_text',
  hasRefusals: false,
  foreign: [],
  members: {
    providerData: isObject,
    promptCacheBreakpoint: isObject,
    detail: isText,
    filename: isText,
    format: isTextOrNull,
    transcript: isTextOrNull,
  },
  media: mendMedia,
};

const inputBlocks = contentBlocks(inputShape);
const outputBlocks = contentBlocks({ ...inputShape, textType: 'output_text', hasRefusals: true });

function mendMedia(block: WireObject, mending: Mending): unknown {
  if (!mediaTypes.includes(block['type']))
    return mending.refuse(['type'], 'the type of a content block', block['type']);
  const value = mediaValue(block);
  return isMedia(value) ? block : mending.refuse([], 'a block with an image, a file or audio', value);
}

/** A text, bytes, or an object around one of them or an id. */
function isMedia(value: unknown): boolean {
  if (typeof value === 'string' || isBytes(value)) return true;
  if (!isObject(value)) return false;
  const { id, url, data, fileId } = value;
  return [id, url, data, fileId].some((held) => typeof held === 'string' || isBytes(held));
}

function mendCall(item: WireObject, mending: Mending): unknown {
  const name = mendName(item, 'name', longestName, mending);
  if (name === undefined) return mending.refuse(['name'], 'the name of a tool', item['name']);
  // What the provider's own items call it.
  const { call_id: providerCallId, ...rest } = item;
  const callId = item['callId'] ?? providerCallId;
  const named = providerCallId === undefined ? item : mending.put(['call_id'], 'is called callId here', rest);
  return withMembers(named, {
    callId: mending.callId(['callId'], callId, name),
    name,
    arguments: mendArguments(item, 'arguments', mending),
    status: mending.optional('status', item['status'], isStatus, 'was no status'),
  });
}

function mendResult(item: WireObject, mending: Mending): unknown {
  const { call_id: providerCallId, ...rest } = item;
  const callId = item['callId'] ?? providerCallId;
  const answered = mending.answered(['callId'], callId);
  if (!answered) return mending.refuse(['callId'], 'the id of a call', callId);
  const named = providerCallId === undefined ? item : mending.put(['call_id'], 'is called callId here', rest);
  const { name, output } = item;
  return withMembers(withStatus(named, mending), {
    callId: answered.callId,
    name: isName(name)
      ? name
      : mending.put(['name'], 'the result did not name its tool', answered.name || 'tool'),
    // A single block, as older tools return it.
    output: isSingleBlock(output) ? output : mendPieces(output, inputBlocks, mending.below('output')),
  });
}

function isSingleBlock(block: unknown): boolean {
  if (!isObject(block)) return false;
  const { type, text } = block;
  if (type === 'text') return typeof text === 'string';
  return (type === 'image' || type === 'file') && isMedia(mediaValue(block));
}

function mendReasoning(item: WireObject, mending: Mending): unknown {
  const { content } = item;
  const blocks = Array.isArray(content) ? content : mending.put(['content'], 'became a list', []);
  return withMembers(item, { content: mendThoughts(blocks, 'input_text', mending.below('content')) });
}

function mendHosted(item: WireObject, mending: Mending): unknown {
  if (typeof item['name'] !== 'string') mending.refuse(['name'], 'the name of a tool', item['name']);
  return item;
}
