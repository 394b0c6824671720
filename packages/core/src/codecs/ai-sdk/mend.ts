import type { Path } from '../../json/json.ts';
import { isObject } from '../../json/json.ts';
import type { WireObject } from '../decode-parts.ts';
import type { BlockMender, BlockShape, MemberChecks, Mending } from '../mending.ts';
import { roles } from './decode.ts';
import {
  isText,
  joinedText,
  mendBlocks,
  mendInput,
  mendName,
  mendText,
  requireRole,
  withMembers,
} from '../mending.ts';
import { isFileData } from './file-data.ts';

const longestName = 128;

const asItIs: BlockMender = (part) => part;

/** The types of parts that a message may have: the SDK itself refuses every other. */
const parts: ReadonlyMap<unknown, BlockMender> = new Map<unknown, BlockMender>([
  ['text', mendText],
  ['image', (part, at, mending) => mendFile(part, 'image', at, mending)],
  ['file', mendTypedFile],
  ['reasoning-file', mendTypedFile],
  ['reasoning', mendReasoning],
  ['redacted-reasoning', asItIs],
  ['tool-call', mendCall],
  ['tool-result', mendResult],
  ['tool-approval-request', mendApproval],
  ['tool-approval-response', mendApproval],
  ['custom', asItIs],
]);

export function mendAiSdk(given: unknown, mending: Mending): unknown {
  const message = withOptions(requireRole(given, roles, mending), [], mending);
  const { role, content } = message;
  if (role === 'system') return mendSystem(message, mending);
  if (typeof content === 'string' && role !== 'tool') return message;
  if (!Array.isArray(content)) {
    const expected = role === 'tool' ? 'a list of results' : 'a text or a list of parts';
    mending.refuse(['content'], expected, content);
  }
  return withMembers(message, {
    content: mendBlocks(content as unknown[], ['content'], partShape, mending),
  });
}

/** The form that models and middleware see: only a system message has a bare text. */
export function mendAiSdkPrompt(given: unknown, mending: Mending): unknown {
  const message = mendAiSdk(given, mending) as WireObject;
  const { role, content } = message;
  if (role === 'system' || typeof content !== 'string') return message;
  const blocks = mending.put(['content'], 'a bare text became a part', [{ type: 'text', text: content }]);
  return withMembers(message, { content: blocks });
}

function mendSystem(message: WireObject, mending: Mending): WireObject {
  const { content } = message;
  if (typeof content === 'string') return message;
  if (!Array.isArray(content)) return mending.refuse(['content'], 'a text', content);
  const mended = mendBlocks(content, ['content'], partShape, mending);
  const text = joinedText(mended, 'parts of a system message became a text', mending);
  return withMembers(message, { content: text });
}

const partShape: BlockShape = { textType: 'text', foreign: [], mend: mendPart };

function mendPart(part: WireObject, at: Path, mending: Mending): unknown {
  const mend = parts.get(part['type']);
  if (!mend) return mending.refuse([...at, 'type'], 'the type of a part', part['type']);
  return mend(withOptions(part, at, mending), at, mending);
}

/** Options are records by provider; nothing else is read. */
function withOptions(wire: WireObject, at: Path, mending: Mending): WireObject {
  const { providerOptions: options } = wire;
  if (options === undefined || (isObject(options) && Object.values(options).every(isObject))) return wire;
  const place = [...at, 'providerOptions'];
  return withMembers(wire, { providerOptions: mending.put(place, 'were no options by provider', undefined) });
}

function mendTypedFile(part: WireObject, at: Path, mending: Mending): unknown {
  const { mediaType, mimeType } = part;
  if (typeof (mediaType ?? mimeType) !== 'string')
    mending.refuse([...at, 'mediaType'], 'a media type', mediaType);
  return mendFile(part, 'data', at, mending);
}

function mendFile(part: WireObject, key: string, at: Path, mending: Mending): unknown {
  if (!isFileData(part[key])) mending.refuse([...at, key], 'base64 text, bytes or a URL', part[key]);
  const { mediaType, filename } = part;
  const isTyped = mediaType === undefined || typeof mediaType === 'string';
  const isNamed = filename === undefined || typeof filename === 'string';
  return withMembers(part, {
    mediaType: isTyped ? mediaType : mending.put([...at, 'mediaType'], 'was no media type', undefined),
    filename: isNamed ? filename : mending.put([...at, 'filename'], 'was no name', undefined),
  });
}

function mendReasoning(part: WireObject, at: Path, mending: Mending): unknown {
  const { text } = part;
  if (typeof text === 'string') return part;
  const isNothing = text === undefined || text === null;
  return isNothing ? mending.drop(at, 'reasoning without a text left out') : mendText(part, at, mending);
}

function mendCall(part: WireObject, at: Path, mending: Mending): unknown {
  const name = mendName(part['toolName'], [...at, 'toolName'], longestName, mending);
  if (name === undefined) return mending.drop(at, 'a call without the name of a tool left out');
  const { toolCallId, args, input, providerExecuted } = part;
  // Version 4 called them so.
  const isOld = input === undefined && args !== undefined;
  const place = [...at, isOld ? 'args' : 'input'];
  const isFlag = providerExecuted === undefined || typeof providerExecuted === 'boolean';
  return withMembers(part, {
    toolCallId: mending.callId([...at, 'toolCallId'], toolCallId, name),
    toolName: name,
    ...(isFlag
      ? {}
      : { providerExecuted: mending.put([...at, 'providerExecuted'], 'was no flag', undefined) }),
    ...(isOld && { args: mending.put(place, 'is called input now', undefined) }),
    input: mendInput(isOld ? args : input, place, mending),
  });
}

function mendResult(part: WireObject, at: Path, mending: Mending): unknown {
  const { toolCallId, toolName } = part;
  const answered = mending.answered([...at, 'toolCallId'], toolCallId, toolName);
  if (!answered) return mending.drop(at, 'a result without the id of its call left out');
  const isNamed = typeof toolName === 'string' && toolName !== '';
  const { result, isError, ...rest } = part;
  const isOld = rest['output'] === undefined && result !== undefined;
  return withMembers(isOld ? rest : part, {
    toolCallId: answered.callId,
    toolName: isNamed
      ? toolName
      : mending.put([...at, 'toolName'], 'the result did not name its tool', answered.name || 'tool'),
    output: isOld
      ? mending.put([...at, 'result'], 'is called output now', valueOutput(result, isError === true))
      : mendOutput(rest['output'], [...at, 'output'], mending),
  });
}

type OutputCheck = (value: unknown) => boolean;

const outputs: ReadonlyMap<unknown, OutputCheck> = new Map<unknown, OutputCheck>([
  ['text', (value) => typeof value === 'string'],
  ['error-text', (value) => typeof value === 'string'],
  ['json', (value) => value !== undefined],
  ['error-json', (value) => value !== undefined],
  ['content', (value) => Array.isArray(value) && value.every(isOutputPart)],
]);

/** What each part of an output needs, in the forms of versions 5 to 7. */
const outputParts: ReadonlyMap<unknown, MemberChecks> = new Map<unknown, MemberChecks>([
  ['text', { text: isText }],
  ['media', { data: isText, mediaType: isText }],
  ['image', { data: isText }],
  ['file', { data: isFileData, mediaType: isText }],
  ['file-data', { data: isText, mediaType: isText }],
  ['image-data', { data: isText, mediaType: isText }],
  ['file-url', { url: isText }],
  ['image-url', { url: isText }],
  ['file-id', { fileId: (value) => isText(value) || isObject(value) }],
  ['image-file-id', { fileId: (value) => isText(value) || isObject(value) }],
  ['file-reference', { providerReference: isObject }],
  ['image-file-reference', { providerReference: isObject }],
  ['custom', {}],
]);

function isOutputPart(part: unknown): boolean {
  const checks = isObject(part) ? outputParts.get(part['type']) : undefined;
  return (
    checks !== undefined && Object.entries(checks).every(([name, check]) => check((part as WireObject)[name]))
  );
}

function mendOutput(output: unknown, at: Path, mending: Mending): unknown {
  if (!isObject(output))
    return mending.put(at, 'the output of a tool got its type', valueOutput(output, false));
  const { type, value, reason } = output;
  if (type === 'execution-denied') {
    if (reason === undefined || typeof reason === 'string') return output;
    return withMembers(output, { reason: mending.put([...at, 'reason'], 'was no text', undefined) });
  }
  if (outputs.get(type)?.(value) === true) return withOptions(output, at, mending);
  const isKnown = outputs.has(type);
  const isError = type === 'error-text' || type === 'error-json';
  return mending.put(at, 'the output of a tool got its type', valueOutput(isKnown ? value : output, isError));
}

function valueOutput(value: unknown, isError: boolean): WireObject {
  if (typeof value === 'string') return { type: isError ? 'error-text' : 'text', value };
  return { type: isError ? 'error-json' : 'json', value: value ?? null };
}

function mendApproval(part: WireObject, at: Path, mending: Mending): unknown {
  const { approvalId } = part;
  return typeof approvalId === 'string' ? part : mending.refuse([...at, 'approvalId'], 'an id', approvalId);
}
