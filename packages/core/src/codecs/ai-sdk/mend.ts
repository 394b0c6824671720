import { isObject, parseJson } from '../../json/json.ts';
import { jsonText } from '../../transcript/entry-text.ts';
import type { WireObject } from '../decode-parts.ts';
import type { BlockMender, BlockShape, MemberChecks, Mending } from '../mending.ts';
import { roles } from './decode.ts';
import {
  isName,
  isText,
  joinedText,
  mendBlock,
  mendBlocks,
  mendInput,
  mendList,
  mendName,
  mendText,
  requireRole,
  withMembers,
} from '../mending.ts';
import { isFileData } from './file-data.ts';

const longestName = 128;

const isFlag = (value: unknown): boolean => typeof value === 'boolean';

const isByProvider = (value: unknown): boolean => isObject(value) && Object.values(value).every(isObject);

const asItIs: BlockMender = (part) => part;

/** The types of parts that a message may have: the SDK itself refuses every other. */
const parts: ReadonlyMap<unknown, BlockMender> = new Map<unknown, BlockMender>([
  ['text', mendText],
  ['image', (part, mending) => mendFile(part, 'image', mending)],
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
  const message = withOptions(requireRole(given, roles, mending), mending);
  const { role, content } = message;
  if (role === 'system') return mendSystem(message, mending);
  if (typeof content === 'string' && role !== 'tool') return message;
  if (!Array.isArray(content)) {
    const expected = role === 'tool' ? 'a list of results' : 'a text or a list of parts';
    mending.refuse(['content'], expected, content);
  }
  return withMembers(message, {
    content: mendList(content as unknown[], mending.below('content'), (block, inner) => {
      const part = mendBlock(block, partShape, inner);
      return role === 'tool' ? mendToolPart(part, inner) : part;
    }),
  });
}

/** A message of a tool holds results: the SDK refuses a text in it, and one that says nothing is no loss. */
function mendToolPart(part: unknown, mending: Mending): unknown {
  if (!isObject(part) || part['type'] !== 'text') return part;
  const { text } = part;
  const isBlank = typeof text === 'string' && text.trim() === '';
  return isBlank
    ? mending.drop('a text that says nothing beside results left out')
    : mending.refuse([], 'a result of a tool', text);
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
  const mended = mendBlocks(content, partShape, mending.below('content'));
  const text = joinedText(mended, 'parts of a system message became a text', mending);
  return withMembers(message, { content: text });
}

const partShape: BlockShape = { textType: 'text', foreign: [], mend: mendPart };

function mendPart(part: WireObject, mending: Mending): unknown {
  const mend = parts.get(part['type']);
  if (!mend) return mending.refuse(['type'], 'the type of a part', part['type']);
  return mend(withOptions(part, mending), mending);
}

/** Options are records by provider; nothing else is read. */
function withOptions(wire: WireObject, mending: Mending): WireObject {
  const { providerOptions } = wire;
  const what = 'were no options by provider';
  return withMembers(wire, {
    providerOptions: mending.optional('providerOptions', providerOptions, isByProvider, what),
  });
}

function mendTypedFile(part: WireObject, mending: Mending): unknown {
  const { mediaType, mimeType } = part;
  if (typeof (mediaType ?? mimeType) !== 'string') mending.refuse(['mediaType'], 'a media type', mediaType);
  return mendFile(part, 'data', mending);
}

function mendFile(part: WireObject, key: string, mending: Mending): unknown {
  if (!isFileData(part[key])) mending.refuse([key], 'base64 text, bytes or a URL', part[key]);
  const { mediaType, filename } = part;
  return withMembers(part, {
    mediaType: mending.optional('mediaType', mediaType, isText, 'was no media type'),
    filename: mending.optional('filename', filename, isText, 'was no name'),
  });
}

function mendReasoning(part: WireObject, mending: Mending): unknown {
  const { text } = part;
  if (typeof text === 'string') return part;
  const isNothing = text === undefined || text === null;
  return isNothing ? mending.drop('reasoning without a text left out') : mendText(part, mending);
}

function mendCall(part: WireObject, mending: Mending): unknown {
  const name = mendName(part, 'toolName', longestName, mending);
  if (name === undefined) return mending.drop('a call without the name of a tool left out');
  const { toolCallId, args, input, providerExecuted } = part;
  // Version 4 called them so.
  const isOld = input === undefined && args !== undefined;
  return withMembers(part, {
    toolCallId: mending.callId(['toolCallId'], toolCallId, name),
    toolName: name,
    providerExecuted: mending.optional('providerExecuted', providerExecuted, isFlag, 'was no flag'),
    args: isOld ? mending.put(['args'], 'is called input now', undefined) : args,
    input: mendInput(part, isOld ? 'args' : 'input', mending),
  });
}

function mendResult(part: WireObject, mending: Mending): unknown {
  const { toolCallId, toolName } = part;
  const answered = mending.answered(['toolCallId'], toolCallId, toolName);
  if (!answered) return mending.drop('a result without the id of its call left out');
  const { result, isError, ...rest } = part;
  const isOld = rest['output'] === undefined && result !== undefined;
  return withMembers(isOld ? rest : part, {
    toolCallId: answered.callId,
    toolName: isName(toolName)
      ? toolName
      : mending.put(['toolName'], 'the result did not name its tool', answered.name || 'tool'),
    output: isOld
      ? mending.put(
          ['result'],
          'is called output now',
          valueOutput(result, isError === true, mending.below('result')),
        )
      : mendOutput(rest['output'], mending.below('output')),
  });
}

/** What the value of each type of output has to be. */
const outputs = new Map<unknown, (value: unknown) => boolean>([
  ['text', isText],
  ['error-text', isText],
  ['json', isJson],
  ['error-json', isJson],
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

function mendOutput(output: unknown, mending: Mending): unknown {
  if (!isObject(output))
    return mending.put([], 'the output of a tool got its type', valueOutput(output, false, mending));
  const { type, value, reason } = output;
  if (type === 'execution-denied') {
    return withMembers(output, { reason: mending.optional('reason', reason, isText, 'was no text') });
  }
  if (outputs.get(type)?.(value) === true) return withOptions(output, mending);
  const isKnown = outputs.has(type);
  const isError = type === 'error-text' || type === 'error-json';
  const isTyped = value !== undefined && (type === 'json' || type === 'error-json');
  const what = isTyped ? 'the output of a tool became JSON' : 'the output of a tool got its type';
  return mending.put(
    [],
    what,
    isKnown ? valueOutput(value, isError, mending.below('value')) : valueOutput(output, isError, mending),
  );
}

function valueOutput(value: unknown, isError: boolean, mending: Mending): WireObject {
  if (typeof value === 'string') return { type: isError ? 'error-text' : 'text', value };
  return { type: isError ? 'error-json' : 'json', value: asJson(value ?? null, mending) };
}

/** The value as JSON says it, which the SDK asks for; itself where it is JSON. */
function asJson(value: unknown, mending: Mending): unknown {
  if (isJson(value)) return value;
  const said = parseJson(jsonText(value));
  return said === undefined ? mending.refuse([], 'a value that JSON can say', value) : said;
}

/** Whether it is JSON all through. Keeps its own stack, so that depth cannot overflow it, and sees each object once. */
function isJson(value: unknown): boolean {
  const seen = new Set<object>();
  // What is being looked into: an object that lies in itself is one that JSON cannot say.
  const open = new Set<object>();
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next !== 'object' || next === null) {
      if (next !== null && typeof next !== 'string' && typeof next !== 'boolean' && !Number.isFinite(next))
        return false;
      continue;
    }
    if (next instanceof End) open.delete(next.of);
    else if (open.has(next)) return false;
    else if (!seen.has(next)) {
      if (!Array.isArray(next) && !isPlain(next)) return false;
      seen.add(next);
      open.add(next);
      stack.push(new End(next));
      pushMembers(next, stack);
    }
  }
  return true;
}

/** Stands behind the members of an object on the stack. */
class End {
  readonly of: object;

  constructor(of: object) {
    this.of = of;
  }
}

/** What a member of an object lacks is left out, what a list lacks is not. */
function pushMembers(of: object, stack: unknown[]): void {
  const isList = Array.isArray(of);
  for (const member of isList ? of : Object.values(of))
    if (isList || member !== undefined) stack.push(member);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function mendApproval(part: WireObject, mending: Mending): unknown {
  const { approvalId } = part;
  return typeof approvalId === 'string' ? part : mending.refuse(['approvalId'], 'an id', approvalId);
}
