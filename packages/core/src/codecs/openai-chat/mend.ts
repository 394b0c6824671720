import type { Path } from '../../json/json.ts';
import { isObject } from '../../json/json.ts';
import type { WireObject } from '../decode-parts.ts';
import type { Mending } from '../mending.ts';
import { roles } from './decode.ts';
import {
  isText,
  mendArguments,
  mendBlocks,
  mendList,
  mendName,
  mendOutput,
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
  const { role, name } = message;
  const isNamed = name === undefined || (typeof name === 'string' && name !== '');
  const named = isNamed
    ? message
    : withMembers(message, { name: mending.put(['name'], 'was no name', undefined) });
  if (role === 'assistant') return mendAssistant(named, mending);
  const { tool_calls: calls } = message;
  const plain =
    calls === undefined
      ? named
      : withMembers(named, {
          tool_calls: mending.put(['tool_calls'], 'only an assistant calls tools', undefined),
        });
  if (role === 'tool' || role === 'function') return mendResult(plain, mending);
  const { content } = message;
  if (typeof content === 'string') return plain;
  if (!Array.isArray(content)) mending.refuse(['content'], 'a text or a list of content blocks', content);
  return withMembers(plain, { content: mendContent(content as unknown[], mending) });
}

function mendContent(content: readonly unknown[], mending: Mending): readonly unknown[] {
  const shape = { textType: 'text', foreign: foreignBlocks, mend: mendContentBlock };
  return mendBlocks(content, ['content'], shape, mending);
}

function mendContentBlock(block: WireObject, at: Path, mending: Mending): unknown {
  const type = String(block['type']);
  if (type === 'text' || type === 'refusal') return mendText(block, at, mending, type);
  if (type === 'image_url' || type === 'video_url') return mendUrl(block, type, at, mending);
  if (type === 'input_audio') {
    const audio = block['input_audio'];
    const isAudio =
      isObject(audio) && typeof audio['data'] === 'string' && typeof audio['format'] === 'string';
    return isAudio ? block : mending.refuse([...at, type], 'an object with data and format', audio);
  }
  if (type !== 'file') return block;
  const { file } = block;
  const isFile =
    isObject(file) && (typeof file['file_data'] === 'string' || typeof file['file_id'] === 'string');
  return isFile ? block : mending.refuse([...at, 'file'], 'an object with file_data or file_id', file);
}

function mendUrl(block: WireObject, key: string, at: Path, mending: Mending): unknown {
  const place = block[key];
  if (isObject(place) && typeof place['url'] === 'string') {
    return withMembers(block, { [key]: withoutUnfit(place, [...at, key], { detail: isText }, mending) });
  }
  if (typeof place !== 'string') mending.refuse([...at, key], 'an object with a url', place);
  return withMembers(block, {
    [key]: mending.put([...at, key], 'a bare url became an object', { url: place }),
  });
}

function mendResult(message: WireObject, mending: Mending): WireObject {
  const { role, content, name } = message;
  const shown = resultContent(content, mending);
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

function resultContent(content: unknown, mending: Mending): unknown {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return mendOutput(content, ['content'], mending);
  const blocks = mendContent(content, mending);
  return blocks.length === 0 ? mendOutput(undefined, ['content'], mending) : blocks;
}

function mendAssistant(message: WireObject, mending: Mending): unknown {
  const { content, refusal } = message;
  const calls = mendCalls(message['tool_calls'], mending);
  const isRefusal = refusal === undefined || refusal === null || typeof refusal === 'string';
  return withMembers(message, {
    content: assistantContent(content, calls !== undefined, mending),
    tool_calls: calls,
    function_call: mendLegacyCall(message['function_call'], mending),
    refusal: isRefusal ? refusal : mending.put(['refusal'], 'was no text', undefined),
  });
}

function assistantContent(content: unknown, hasCalls: boolean, mending: Mending): unknown {
  if (content === undefined || content === null || typeof content === 'string') return content;
  if (!Array.isArray(content))
    mending.refuse(['content'], 'a text, a list of content blocks or null', content);
  const blocks = mendContent(content as unknown[], mending);
  return blocks.length === 0 && hasCalls
    ? mending.put(['content'], 'an empty list became null', null)
    : blocks;
}

function mendCalls(calls: unknown, mending: Mending): readonly unknown[] | undefined {
  if (calls === undefined) return undefined;
  const at = ['tool_calls'];
  if (calls !== null && !Array.isArray(calls)) mending.refuse(at, 'a list of calls', calls);
  const mended = mendList((calls ?? []) as unknown[], at, (call, place) => mendCall(call, place, mending));
  return mended.length === 0 ? mending.put(at, 'a list of no calls left out', undefined) : mended;
}

function mendCall(call: unknown, at: Path, mending: Mending): unknown {
  if (call === null || call === undefined) return mending.drop(at, 'the list held nothing here');
  if (!isObject(call)) return mending.refuse(at, 'a call', call);
  const { custom, type } = call;
  const isCustom = isObject(custom) && (type === 'custom' || !isObject(call['function']));
  const said = isCustom ? call : withFunction(call, at, mending);
  const key = isCustom ? 'custom' : 'function';
  const tool = said[key] as WireObject;
  const name = mendName(tool['name'], [...at, key, 'name'], longestName, mending);
  if (name === undefined) return mending.drop(at, 'a call without the name of a tool left out');
  const field = isCustom ? 'input' : 'arguments';
  const input = mendArguments(tool[field], [...at, key, field], mending);
  const isTyped = isCustom ? type === 'custom' : type !== 'custom' && callTypes.includes(type);
  return withMembers(said, {
    id: mending.callId([...at, 'id'], call['id'], name),
    type: isTyped ? type : mending.put([...at, 'type'], 'the call had no type', key),
    [key]: withMembers(tool, { name, [field]: input }),
  });
}

/** Some libraries write name and arguments beside the id. */
function withFunction(call: WireObject, at: Path, mending: Mending): WireObject {
  if (isObject(call['function'])) return call;
  const { name, arguments: input, args, ...rest } = call;
  if (typeof name !== 'string')
    return mending.refuse([...at, 'function'], 'an object with name and arguments', call['function']);
  return mending.put(at, 'name and arguments were not in a function', {
    ...rest,
    function: { name, arguments: input ?? args },
  });
}

/** Before tools there was one call without an id. */
function mendLegacyCall(call: unknown, mending: Mending): unknown {
  if (call === undefined || call === null) return call;
  const at = ['function_call'];
  if (!isObject(call)) return mending.refuse(at, 'an object with name and arguments', call);
  const name = mendName(call['name'], [...at, 'name'], longestName, mending);
  if (name === undefined) return mending.put(at, 'a call without the name of a tool left out', undefined);
  return withMembers(call, {
    name,
    arguments: mendArguments(call['arguments'], [...at, 'arguments'], mending),
  });
}
