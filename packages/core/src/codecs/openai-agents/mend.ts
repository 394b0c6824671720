import type { Path } from '../../json/json.ts';
import { isObject } from '../../json/json.ts';
import type { WireObject } from '../decode-parts.ts';
import type { ContentShape, ItemMender } from '../decode-items.ts';
import { mendContent, mendItem, mendPieces } from '../decode-items.ts';
import type { MemberChecks, Mending } from '../mending.ts';
import {
  isText,
  isTextOrNull,
  joinedText,
  mendArguments,
  mendList,
  mendName,
  requireRole,
  withMembers,
} from '../mending.ts';
import { isBytes, mediaValue, roles } from './decode.ts';

const longestName = 64;
const states: readonly unknown[] = ['in_progress', 'completed', 'incomplete'];

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
  id: (value) => isText(value) && value !== '',
};

export function mendAgentsItem(item: unknown, mending: Mending): unknown {
  const shape = { what: 'an item of the SDK', members: itemMembers, items, message: mendMessage };
  return mendItem(item, { ...shape, other: (found) => found }, mending);
}

function mendMessage(item: WireObject, mending: Mending): unknown {
  const message = requireRole(item, roles, mending);
  const { role, content } = message;
  if (role === 'assistant') return mendAnswer(message, mending);
  if (typeof content === 'string') return message;
  if (!Array.isArray(content)) mending.refuse(['content'], 'a text or a list of content blocks', content);
  const blocks = mendContent(content as unknown[], ['content'], inputShape, mending);
  if (role !== 'system') return withMembers(message, { content: blocks });
  const text = joinedText(blocks, 'blocks of a system message became a text', mending);
  return withMembers(message, { content: text });
}

function mendAnswer(message: WireObject, mending: Mending): unknown {
  const { content } = message;
  const blocks = typeof content === 'string' ? textBlocks(content, mending) : content;
  if (!Array.isArray(blocks)) mending.refuse(['content'], 'a list of content blocks', content);
  return withMembers(withStatus(message, mending), {
    content: mendContent(blocks as unknown[], ['content'], outputShape, mending),
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
  if (states.includes(status)) return item;
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

const outputShape: ContentShape = { ...inputShape, textType: 'output_text', hasRefusals: true };

function mendMedia(block: WireObject, at: Path, mending: Mending): unknown {
  if (!mediaTypes.includes(block['type']))
    return mending.refuse([...at, 'type'], 'the type of a content block', block['type']);
  const value = mediaValue(block);
  return isMedia(value) ? block : mending.refuse(at, 'a block with an image, a file or audio', value);
}

/** A text, bytes, or an object around one of them or an id. */
function isMedia(value: unknown): boolean {
  if (typeof value === 'string' || isBytes(value)) return true;
  if (!isObject(value)) return false;
  const { id, url, data, fileId } = value;
  return [id, url, data, fileId].some((held) => typeof held === 'string' || isBytes(held));
}

function mendCall(item: WireObject, mending: Mending): unknown {
  const name = mendName(item['name'], ['name'], longestName, mending);
  if (name === undefined) return mending.refuse(['name'], 'the name of a tool', item['name']);
  const { status } = item;
  const isStatus = status === undefined || states.includes(status);
  // What the provider's own items call it.
  const { call_id: providerCallId, ...rest } = item;
  const callId = item['callId'] ?? providerCallId;
  const named = providerCallId === undefined ? item : mending.put(['call_id'], 'is called callId here', rest);
  return withMembers(named, {
    callId: mending.callId(['callId'], callId, name),
    name,
    arguments: mendArguments(item['arguments'], ['arguments'], mending),
    status: isStatus ? status : mending.put(['status'], 'was no status', undefined),
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
    name:
      typeof name === 'string' && name !== ''
        ? name
        : mending.put(['name'], 'the result did not name its tool', answered.name || 'tool'),
    // A single block, as older tools return it.
    output: isSingleBlock(output) ? output : mendPieces(output, inputShape, mending),
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
  return withMembers(item, {
    content: mendList(blocks, ['content'], (block, at) => {
      const isThought =
        isObject(block) && block['type'] === 'input_text' && typeof block['text'] === 'string';
      return isThought ? block : mending.drop(at, 'was no text of reasoning');
    }),
  });
}

function mendHosted(item: WireObject, mending: Mending): unknown {
  if (typeof item['name'] !== 'string') mending.refuse(['name'], 'the name of a tool', item['name']);
  return item;
}
