import type { Path } from '../../json/json.ts';
import { isObject, textOf } from '../../json/json.ts';
import type { Codec, Composed, NeutralPart, Synthetic, WireRules } from '../codec.ts';
import { neutralParts, runsOf, textBlock } from '../neutral-parts.ts';
import { base64Media, mediaAtUrl, mediaElsewhere, mediaPart, sourceOfBlock } from '../media.ts';
import type { SessionMessage, SessionPart } from './session-message.ts';
import type {
  Binding,
  CallPart,
  Entry,
  MediaPart,
  Part,
  ReasoningPart,
  ResultPart,
  ResultPiece,
  TextPart,
} from '../../transcript/entry.ts';
import type { DecoderTable, PartDecoder, WireObject } from '../decode-parts.ts';
import {
  decodeContent,
  decodePieces,
  makeEntry,
  opaqueEntry,
  opaquePart,
  readCallId,
  sameRoles,
} from '../decode-parts.ts';
import type { EditTable } from '../edit-table.ts';
import { blockEdits, editResult, editWith } from '../edit-table.ts';
import { jsonText } from '../../transcript/entry-text.ts';
import type { BlockMender, BlockShape, Mending } from '../mending.ts';
import { mendBlocks, mendName, mendText, requireRole, withMembers } from '../mending.ts';

const rules: WireRules = {
  resultsIn: 'tool-message',
  entriesPerResponse: 'one',
  firstIsUser: false,
  allowsConsecutiveRoles: true,
  systemMessages: 'anywhere',
  uniqueCallIds: false,
  resultsAdjacent: true,
  mediaIn: { user: true, assistant: true, result: true },
  resultsFirst: false,
};

/** The runtime's own stored messages; see `session-message.ts`. */
export const sessionCodec: Codec = {
  name: 'session',
  rules,
  decode: decodeSession,
  mend: mendSession,
  edit: (entry, changes) => editWith(edits, { entry, changes }),
  compose: composeSession,
  neutral: (entry) => neutralParts(entry, sourceOfBlock),
};

/**
 * Says everything: results in tool messages of their own, the rest in messages of the role. The id is left to the
 * store, which knows the ones that are taken; it is empty here.
 */
function composeSession(item: Synthetic): Composed<SessionMessage> {
  const { role, kind } = item;
  const meta = kind === 'converted' ? {} : { meta: { kind } };
  const speaker = role === 'tool' ? 'user' : role;
  const messages = runsOf(item).map((run): SessionMessage => {
    const placed = run.type === 'results' ? run.results : run.parts;
    const parts = placed.map(({ part }) => sessionPart(part));
    return { id: '', role: run.type === 'results' ? 'tool' : speaker, parts, ...meta };
  });
  return { messages, losses: [] };
}

function sessionPart(part: NeutralPart): SessionPart {
  if (part.type === 'call')
    return { ...part, input: (part.input ?? null) as Extract<SessionPart, { type: 'call' }>['input'] };
  return part;
}

const roles = sameRoles('system', 'user', 'assistant', 'tool');

const pieces: DecoderTable<ResultPiece> = new Map<string, PartDecoder<ResultPiece>>([
  ['text', decodeText],
  ['media', decodeMedia],
]);

const parts: DecoderTable = new Map<string, PartDecoder>([
  ...pieces,
  ['reasoning', decodeReasoning],
  ['call', decodeCall],
  ['result', decodeResult],
  ['opaque', decodeOpaque],
]);

const bindings: ReadonlyMap<unknown, Binding> = new Map<unknown, Binding>([
  ['content', 'content'],
  ['prefix', 'prefix'],
  ['next-item', 'next-item'],
]);

function decodeSession(message: unknown, ordinal: number): Entry {
  const role = isObject(message) ? roles.get(message['role']) : undefined;
  if (!isObject(message) || !role) return opaqueEntry(message, ordinal, 'user');
  const { id } = message;
  return makeEntry(
    { wire: message, id },
    ordinal,
    role,
    decodeContent<Part>(message['parts'], ['parts'], parts),
  );
}

/** Adds the binding that is stated, or `content` where there is a signature. */
function bound<Bound extends TextPart | ReasoningPart | CallPart>(decoded: Bound, part: WireObject): Bound {
  const { binding, signature } = part;
  if (binding === undefined && signature === undefined) return decoded;
  const stated = bindings.get(binding) ?? (textOf(signature) === '' ? undefined : 'content');
  return stated ? { ...decoded, binding: stated } : decoded;
}

function decodeText(part: WireObject, at: Path): TextPart | undefined {
  const { text } = part;
  return typeof text === 'string' ? bound({ type: 'text', at, text }, part) : undefined;
}

function decodeReasoning(part: WireObject, at: Path): ReasoningPart | undefined {
  const { text, signature } = part;
  if (typeof text !== 'string') return undefined;
  return bound({ type: 'reasoning', at, text, opaqueLength: textOf(signature).length }, part);
}

function decodeCall(part: WireObject, at: Path): CallPart | undefined {
  const { callId, name, input: value, isProviderExecuted } = part;
  if (typeof name !== 'string') return undefined;
  const input = { type: 'value', value, at: [...at, 'input'] } as const;
  const call = bound<CallPart>({ type: 'call', at, callId: readCallId(callId, name), name, input }, part);
  return isProviderExecuted === true ? { ...call, isProviderExecuted } : call;
}

function decodeResult(part: WireObject, at: Path): ResultPart | undefined {
  const { callId, name, content, isProviderExecuted } = part;
  if (typeof callId !== 'string') return undefined;
  const shown = decodePieces(content, [...at, 'content'], pieces);
  const isError = part['isError'] === true;
  const id = readCallId(callId);
  const named = typeof name === 'string' && name !== '' && { name };
  const result: ResultPart = { type: 'result', at, callId: id, ...named, isError, pieces: shown };
  return isProviderExecuted === true ? { ...result, isProviderExecuted } : result;
}

function decodeMedia({ mediaType, source, filename }: WireObject, at: Path): MediaPart | undefined {
  if (typeof mediaType !== 'string' || !isObject(source)) return undefined;
  const { data, url } = source;
  if (typeof data === 'string') return mediaPart(at, { mediaType, bytes: base64Media(data), filename });
  if (typeof url !== 'string') return mediaPart(at, { mediaType, bytes: mediaElsewhere, filename });
  return mediaPart(at, { mediaType, bytes: mediaAtUrl(url, mediaType).bytes, filename });
}

function decodeOpaque({ value, isBarrier }: WireObject, at: Path): Part {
  const part = opaquePart(value, at);
  return isBarrier === true ? { ...part, isBarrier } : part;
}

const edits: EditTable = {
  ...blockEdits,
  'replace-result': (change, context) =>
    editResult(change, context, { contentAt: [...change.part.at, 'content'], textBlock }),
  'rename-call': ({ part, callId }) => [{ at: [...part.at, 'callId'], set: callId }],
};

const longestName = 128;

const menders: ReadonlyMap<unknown, BlockMender> = new Map<unknown, BlockMender>([
  ['text', mendText],
  ['reasoning', mendText],
  ['call', mendCall],
  ['result', mendResult],
  ['media', mendMedia],
]);

function mendSession(given: unknown, mending: Mending): unknown {
  const message = requireRole(given, roles, mending);
  const { parts: said } = message;
  if (!Array.isArray(said)) mending.refuse(['parts'], 'a list of parts', said);
  return withMembers(message, { parts: mendBlocks(said as unknown[], partShape, mending.below('parts')) });
}

const partShape: BlockShape = {
  textType: 'text',
  foreign: [],
  mend: (part, mending) => menders.get(part['type'])?.(part, mending) ?? part,
};

function mendCall(part: WireObject, mending: Mending): unknown {
  const name = mendName(part, 'name', longestName, mending);
  if (name === undefined) return mending.drop('a call without the name of a tool left out');
  return withMembers(part, { callId: mending.callId(['callId'], part['callId'], name), name });
}

function mendResult(part: WireObject, mending: Mending): unknown {
  const { content } = part;
  const answered = mending.answered(['callId'], part['callId'], part['name']);
  if (!answered) return mending.drop('a result without the id of its call left out');
  const isText = content !== undefined && content !== null;
  const text = typeof content === 'string' ? content : jsonText(content);
  return withMembers(part, {
    callId: answered.callId,
    content: Array.isArray(content)
      ? content
      : mending.put(['content'], 'became a list', isText ? [{ type: 'text', text }] : []),
  });
}

function mendMedia(part: WireObject, mending: Mending): unknown {
  const { mediaType, source } = part;
  if (typeof mediaType !== 'string') mending.refuse(['mediaType'], 'a media type', mediaType);
  return isObject(source) ? part : mending.refuse(['source'], 'an object with data or url', source);
}

/**
 * How the runtime reads its stored messages into a context. Reasoning that the provider does not want back is kept for
 * people and never sent: it stands as an empty part, so that it costs nothing and the parts behind it keep their places.
 */
export const agentCodec: Codec = {
  ...sessionCodec,
  decode: (message, ordinal) => withoutUnsent(sessionCodec.decode(message, ordinal)),
};

function withoutUnsent(entry: Entry): Entry {
  if (!entry.parts.some(isUnsent)) return entry;
  return { ...entry, parts: entry.parts.map((part) => (isUnsent(part) ? unsent(part) : part)) };
}

/** Reasoning without a binding never goes back to its provider. */
function isUnsent(part: Part): boolean {
  return part.type === 'reasoning' && part.binding === undefined;
}

function unsent({ at }: Part): Part {
  return { type: 'opaque', at, value: null };
}
