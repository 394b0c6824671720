import {
  blockInPlace,
  editArguments,
  editTextPart,
  editWith,
  makeEntry,
  mediaAtUrl,
  mediaPart,
  neutralParts,
  opaqueEntry,
  opaquePart,
  readCallId,
  removeAt,
  sourceOfUrl,
} from '@throughline/core/codec';
import { isObject, listOf, objectOf, textOf } from '../../recording/json-value.ts';
import type { Codec, Entry } from '@throughline/core';
import type {
  Composed,
  EditTable,
  Loss,
  MediaPart,
  NeutralMedia,
  NeutralPart,
  Part,
  Path,
  ResultPart,
  ResultPiece,
  Synthetic,
  WireEdit,
  WireRules,
} from '@throughline/core/codec';
import type { WireObject } from '../../recording/json-value.ts';

const rules: WireRules = {
  resultsIn: 'item',
  entriesPerResponse: 'one',
  firstIsUser: true,
  allowsConsecutiveRoles: true,
  systemMessages: 'outside',
  uniqueCallIds: false,
  resultsAdjacent: false,
  mediaIn: { user: true, assistant: false, result: true },
  resultsFirst: false,
};

/** OpenCode messages: `info` and `parts`; a tool part holds the call and its result together. */
export const opencodeCodec: Codec = {
  name: 'opencode',
  rules,
  decode: decodeOpencode,
  edit: (entry, changes) => editWith(editTable, { entry, changes }),
  compose: composeOpencode,
  neutral: (entry) => neutralParts(entry, readMedia),
};

type PartDecoder = (part: WireObject, at: Path, place: PartPosition) => readonly Part[];

interface PartPosition {
  readonly ordinal: number;
  readonly index: number;
}

/** What is sent of each part. Parts that are not in the table, such as step marks and patches, never are. */
const decoders: ReadonlyMap<unknown, PartDecoder> = new Map<unknown, PartDecoder>([
  ['text', decodeText],
  ['reasoning', decodeReasoning],
  ['file', decodeFile],
  ['tool', decodeTool],
  ['subtask', (_, at) => [opaquePart('The following tool was executed by the user', at)]],
  ['compaction', (_, at) => [opaquePart('What did we do so far?', at)]],
]);

function decodeOpencode(message: unknown, ordinal: number): Entry {
  if (!isObject(message) || !Array.isArray(message['parts'])) return opaqueEntry(message, ordinal, 'user');
  const info = objectOf(message['info']);
  const role = info['role'] === 'assistant' ? 'assistant' : 'user';
  const parts = message['parts'].flatMap((part, index) => {
    const value = objectOf(part);
    return decoders.get(value['type'])?.(value, ['parts', index], { ordinal, index }) ?? [];
  });
  // Exports can be redacted: then ids repeat.
  const id = info['id'] === redacted ? undefined : info['id'];
  return makeEntry({ wire: message, id }, ordinal, role, parts);
}

const redacted = 'REDACTED';

/** `synthetic` are texts that OpenCode put beside the user's: files that he named, reminders. */
function decodeText({ text, ignored, synthetic }: WireObject, at: Path): Part[] {
  if (typeof text !== 'string' || text === '' || ignored === true) return [];
  return [{ type: 'text', at, text, ...(synthetic === true ? { isInjected: 'aside' as const } : {}) }];
}

function decodeReasoning({ text, metadata }: WireObject, at: Path): Part[] {
  if (typeof text !== 'string') return [];
  const opaqueLength = secretLength(metadata);
  const part = { type: 'reasoning', at, text, opaqueLength } as const;
  return [opaqueLength > 0 ? { ...part, binding: 'content' } : part];
}

/** Signatures and encrypted reasoning, under the name of their provider. */
function secretLength(metadata: unknown): number {
  let length = 0;
  for (const provider of Object.values(objectOf(metadata))) {
    for (const key of ['signature', 'reasoningEncryptedContent', 'encryptedContent', 'thoughtSignature']) {
      length += textOf(objectOf(provider)[key])?.length ?? 0;
    }
  }
  return length;
}

function decodeFile({ url, mime, filename }: WireObject, at: Path): MediaPart[] {
  if (typeof url !== 'string' || mime === 'text/plain' || mime === 'application/x-directory') return [];
  return [mediaPart(at, { ...mediaAtUrl(url, textOf(mime) ?? 'application/octet-stream'), filename })];
}

function decodeTool(part: WireObject, at: Path, { ordinal, index }: PartPosition): Part[] {
  const name = textOf(part['tool']) ?? 'tool';
  const state = objectOf(part['state']);
  const ids = [part['callID'], part['id']].filter((id) => id !== redacted);
  const callId = readCallId(...ids, `${ordinal}.${index}`);
  const call: Part = {
    type: 'call',
    at,
    callId,
    name,
    input: { type: 'value', value: state['input'], at: [...at, 'state', 'input'] },
  };
  const pieces = piecesOf(state, [...at, 'state']);
  if (pieces === undefined) return [call];
  const result: ResultPart = {
    type: 'result',
    at: [...at, 'state'],
    callId,
    name,
    isError: state['status'] === 'error',
    pieces,
  };
  return [call, result];
}

/** What OpenCode sends in the place of an output that it has cleared itself. */
const cleared = '[Old tool result content cleared]';

function piecesOf(state: WireObject, at: Path): ResultPiece[] | undefined {
  if (state['status'] === 'error')
    return [{ type: 'text', at: [...at, 'error'], text: textOf(state['error']) ?? '' }];
  if (state['status'] !== 'completed') return undefined;
  if (objectOf(state['time'])['compacted'] !== undefined)
    return [{ type: 'text', at: [...at, 'output'], text: cleared }];
  const files = listOf(state['attachments']).flatMap((file, index) =>
    decodeFile(objectOf(file), [...at, 'attachments', index]),
  );
  return [outputPiece(state['output'], [...at, 'output']), ...files];
}

/** An output is a text; anything else that a log holds there is kept as it is. */
function outputPiece(output: unknown, at: Path): ResultPiece {
  const isText = output === undefined || output === null || typeof output === 'string';
  return isText ? { type: 'text', at, text: output ?? '' } : opaquePart(output, at);
}

const editTable: EditTable = {
  'replace-result': ({ part, text, keepMedia }) => replaceResult(part, text, keepMedia),
  'replace-arguments': editArguments,
  'replace-text': ({ part, text }, { entry }) => editTextPart(entry.wire, part, text, ['text']),
  'replace-media': ({ part, text }, { entry }) => [
    blockInPlace(entry.wire, part.at, { ...keysOf(entry.wire, part.at), type: 'text', text }),
  ],
  'drop-reasoning': ({ part }) => removeAt(part.at),
  'rename-call': ({ part, callId }) => [{ at: [...part.at.slice(0, 2), 'callID'], set: callId }],
  // A call goes with its result, and a result alone cannot go: both are one part.
  'drop-part': ({ part }) => (part.type === 'result' ? [] : removeAt(part.at)),
};

function replaceResult(part: ResultPart, text: string, keepMedia: boolean): readonly WireEdit[] {
  const place = part.pieces.find((piece) => piece.type === 'text');
  const edits: WireEdit[] = [{ at: place?.at ?? [...part.at, 'output'], set: text }];
  if (!keepMedia && part.pieces.some(({ type }) => type === 'media'))
    edits.push({ at: [...part.at, 'attachments'], remove: true });
  return edits;
}

/** The ids of a part that another one takes the place of. */
function keysOf(wire: unknown, at: Path): { readonly [key: string]: string } {
  const part = objectOf(listOf(objectOf(wire)['parts'])[Number(at[1])]);
  const keys = ['id', 'sessionID', 'messageID'].flatMap((key) =>
    typeof part[key] === 'string' ? [[key, part[key]]] : [],
  );
  return Object.fromEntries(keys) as { readonly [key: string]: string };
}

function readMedia(block: unknown): NeutralMedia['source'] | undefined {
  const url = textOf(objectOf(block)['url']);
  return url === undefined ? undefined : sourceOfUrl(url);
}

interface WirePart {
  readonly type: string;
  readonly [key: string]: unknown;
}

type Result = Extract<NeutralPart, { type: 'result' }>;

/**
 * An OpenCode message with `info.role` and `parts`; a call and its result, where the same message holds both, become
 * one tool part. Ids, times and models are not known here: the writer of an export fills them in from the messages
 * beside. A result without its call, as a message of its own, cannot be said: OpenCode keeps both in one place.
 */
function composeOpencode(item: Synthetic): Composed<unknown> {
  const results = new Map<string, Result>();
  for (const part of item.parts) if (part.type === 'result') results.set(part.callId, part);
  const parts: WirePart[] = [];
  const losses: Loss[] = [];
  const role = item.role === 'assistant' ? 'assistant' : 'user';
  for (const [index, part] of item.parts.entries()) {
    const reason = lossOf(part, role);
    if (reason !== undefined) losses.push({ path: `parts[${index}]`, reason });
    parts.push(...(part.type === 'media' && role === 'assistant' ? [stub(part)] : say(part, results)));
  }
  const unanswered = [...results.keys()].map((callId) => ({
    path: `parts[${item.parts.findIndex((part) => part.type === 'result' && part.callId === callId)}]`,
    reason: 'a result without its call',
  }));
  const messages = parts.length === 0 ? [] : [{ info: { role }, parts }];
  return { messages, losses: [...losses, ...unanswered] };
}

/** What of a part OpenCode has no place for. */
function lossOf(part: NeutralPart, role: 'assistant' | 'user'): string | undefined {
  if (part.type === 'media' && role === 'assistant') return 'a file that an assistant shows';
  if (part.type !== 'result' || !part.isError) return undefined;
  return part.content.some(({ type }) => type === 'media')
    ? 'a file in the result of a call that failed'
    : undefined;
}

function stub({ mediaType, filename }: NeutralMedia): WirePart {
  return { type: 'text', text: filename === undefined ? `[${mediaType}]` : `[${mediaType}: ${filename}]` };
}

/** The parts of one neutral part; a result is said by its call. */
function say(part: NeutralPart, results: Map<string, Result>): readonly WirePart[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text }];
    case 'media':
      return [fileOf(part)];
    case 'call': {
      const result = results.get(part.callId);
      results.delete(part.callId);
      return [{ type: 'tool', callID: part.callId, tool: part.name, state: stateOf(part.input, result) }];
    }
    case 'result':
      return [];
  }
}

function fileOf({ mediaType, source, filename }: NeutralMedia): WirePart {
  const url = source.type === 'url' ? source.url : `data:${mediaType};base64,${source.data}`;
  return { type: 'file', mime: mediaType, ...(filename !== undefined && { filename }), url };
}

function stateOf(input: unknown, result: Result | undefined): object {
  const text = (result?.content ?? []).flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('\n');
  if (result === undefined) return { status: 'error', input, error: 'The tool call was interrupted' };
  if (result.isError) return { status: 'error', input, error: text };
  const files = result.content.flatMap((one) => (one.type === 'media' ? [fileOf(one)] : []));
  const attachments = files.length > 0 && { attachments: files };
  return { status: 'completed', input, output: text, title: '', metadata: {}, ...attachments };
}
