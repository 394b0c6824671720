import { isObject } from '../../json/json.ts';
import type { WireObject } from '../decode-parts.ts';
import type { BlockShape, Mending } from '../mending.ts';
import { roles } from './decode.ts';
import {
  isName,
  isText,
  isTextOrNull,
  mendArguments,
  mendBlocks,
  mendList,
  mendName,
  mendPieces,
  mendSpeech,
  mendText,
  requireRole,
  withMembers,
  withoutUnfit,
} from '../mending.ts';

// `builtin_function` is Moonshot's.
const callTypes: readonly unknown[] = ['function', 'custom', 'builtin_function'];
const foreignBlocks =
  'input_text output_text input_image input_file image document redacted_thinking tool_use tool_result tool-call tool-result'.split(
    ' ',
  );
const longestName = 64;

export function mendOpenaiChat(given: unknown, mending: Mending): unknown {
  const message = requireRole(given, roles, mending);
  const { role, name, tool_calls: calls } = message;
  const named = withMembers(message, { name: mending.optional('name', name, isName, 'was no name') });
  if (role === 'assistant') return mendAssistant(named, mending);
  const plain = withMembers(named, {
    tool_calls: mending.optional('tool_calls', calls, () => false, 'only an assistant calls tools'),
  });
  if (role === 'tool' || role === 'function') return mendResult(plain, mending);
  return mendSpeech(plain, blockShape, mending);
}

const blockShape: BlockShape = { textType: 'text', foreign: foreignBlocks, mend: mendContentBlock };

function mendContentBlock(block: WireObject, mending: Mending): unknown {
  const type = String(block['type']);
  if (type === 'text' || type === 'refusal') return mendText(block, mending, type);
  if (type === 'image_url' || type === 'video_url') return mendUrl(block, type, mending);
  if (type === 'input_audio') {
    const audio = block['input_audio'];
    const isAudio =
      isObject(audio) && typeof audio['data'] === 'string' && typeof audio['format'] === 'string';
    return isAudio ? block : mending.refuse([type], 'an object with data and format', audio);
  }
  if (type !== 'file') return block;
  const { file } = block;
  const isFile =
    isObject(file) && (typeof file['file_data'] === 'string' || typeof file['file_id'] === 'string');
  return isFile ? block : mending.refuse(['file'], 'an object with file_data or file_id', file);
}

function mendUrl(block: WireObject, key: string, mending: Mending): unknown {
  const place = block[key];
  if (isObject(place) && typeof place['url'] === 'string') {
    return withMembers(block, { [key]: withoutUnfit(place, { detail: isText }, mending.below(key)) });
  }
  if (typeof place !== 'string') mending.refuse([key], 'an object with a url', place);
  return withMembers(block, { [key]: mending.put([key], 'a bare url became an object', { url: place }) });
}

function mendResult(message: WireObject, mending: Mending): WireObject {
  const { role, content, name } = message;
  const shown = mendPieces(content, blockShape, mending.below('content'));
  if (role === 'function') {
    if (typeof name !== 'string') mending.refuse(['name'], 'the name of the function', name);
    return withMembers(message, { content: shown });
  }
  const { tool_call_id: id, tool_name: toolName } = message;
  // Ollama's results name the tool in the place of the call.
  const answered = mending.answered(['tool_call_id'], id, toolName ?? name);
  if (!answered) mending.refuse(['tool_call_id'], 'the id of a call', id);
  const isMoved = id === undefined && toolName !== undefined;
  return withMembers(message, {
    content: shown,
    tool_call_id: answered.callId,
    tool_name: isMoved ? mending.put(['tool_name'], 'became the id of the call', undefined) : toolName,
  });
}

function mendAssistant(message: WireObject, mending: Mending): unknown {
  const { content, refusal } = message;
  const calls = mendCalls(message['tool_calls'], mending.below('tool_calls'));
  return withMembers(message, {
    content: assistantContent(content, calls !== undefined, mending),
    tool_calls: calls,
    function_call: mendLegacyCall(message['function_call'], mending.below('function_call')),
    refusal: mending.optional('refusal', refusal, isTextOrNull, 'was no text'),
  });
}

function assistantContent(content: unknown, hasCalls: boolean, mending: Mending): unknown {
  if (content === undefined || content === null || typeof content === 'string') return content;
  if (!Array.isArray(content))
    mending.refuse(['content'], 'a text, a list of content blocks or null', content);
  const blocks = mendBlocks(content as unknown[], blockShape, mending.below('content'));
  return blocks.length === 0 && hasCalls
    ? mending.put(['content'], 'an empty list became null', null)
    : blocks;
}

function mendCalls(calls: unknown, mending: Mending): readonly unknown[] | undefined {
  if (calls === undefined) return undefined;
  if (calls !== null && !Array.isArray(calls)) mending.refuse([], 'a list of calls', calls);
  const mended = mendList((calls ?? []) as unknown[], mending, mendCall);
  return mended.length === 0 ? mending.put([], 'a list of no calls left out', undefined) : mended;
}

function mendCall(call: unknown, mending: Mending): unknown {
  if (call === null || call === undefined) return mending.drop('the list held nothing here');
  if (!isObject(call)) return mending.refuse([], 'a call', call);
  const { custom, type } = call;
  const isCustom = isObject(custom) && (type === 'custom' || !isObject(call['function']));
  const said = isCustom ? call : withFunction(call, mending);
  const key = isCustom ? 'custom' : 'function';
  const tool = said[key] as WireObject;
  const name = mendName(tool, 'name', longestName, mending.below(key));
  if (name === undefined) return mending.drop('a call without the name of a tool left out');
  const field = isCustom ? 'input' : 'arguments';
  const input = mendArguments(tool, field, mending.below(key));
  const isTyped = isCustom ? type === 'custom' : type !== 'custom' && callTypes.includes(type);
  return withMembers(said, {
    id: mending.callId(['id'], call['id'], name),
    type: isTyped ? type : mending.put(['type'], 'the call had no type', key),
    [key]: withMembers(tool, { name, [field]: input }),
  });
}

/** Some libraries write name and arguments beside the id. */
function withFunction(call: WireObject, mending: Mending): WireObject {
  if (isObject(call['function'])) return call;
  const { name, arguments: input, args, ...rest } = call;
  if (typeof name !== 'string')
    return mending.refuse(['function'], 'an object with name and arguments', call['function']);
  return mending.put([], 'name and arguments were not in a function', {
    ...rest,
    function: { name, arguments: input ?? args },
  });
}

/** Before tools there was one call without an id. */
function mendLegacyCall(call: unknown, mending: Mending): unknown {
  if (call === undefined || call === null) return call;
  if (!isObject(call)) return mending.refuse([], 'an object with name and arguments', call);
  const name = mendName(call, 'name', longestName, mending);
  if (name === undefined) return mending.put([], 'a call without the name of a tool left out', undefined);
  return withMembers(call, { name, arguments: mendArguments(call, 'arguments', mending) });
}
