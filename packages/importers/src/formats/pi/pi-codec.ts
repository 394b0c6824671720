import {
  base64Media,
  blockInPlace,
  decodeContent,
  decodePieces,
  editArguments,
  editResult,
  editTextPart,
  editWith,
  makeEntry,
  mediaPart,
  neutralParts,
  opaqueEntry,
  readCallId,
  removeAt,
  runsOf,
} from '@throughline/core/codec';
import { isObject, textOf } from '../../recording/json-value.ts';
import type { Codec, Entry } from '@throughline/core';
import type {
  Composed,
  DecoderTable,
  EditTable,
  Loss,
  MediaPart,
  NeutralContent,
  NeutralPart,
  Part,
  Path,
  ResultPiece,
  Synthetic,
  WireRules,
} from '@throughline/core/codec';
import type { WireObject } from '../../recording/json-value.ts';

const rules: WireRules = {
  resultsIn: 'tool-message',
  entriesPerResponse: 'one',
  firstIsUser: true,
  allowsConsecutiveRoles: true,
  systemMessages: 'outside',
  uniqueCallIds: false,
  resultsAdjacent: true,
  mediaIn: { user: true, assistant: false, result: true },
  resultsFirst: false,
};

/** Messages of pi's agent: user, assistant and toolResult, and what its session adds to them. */
export const piCodec: Codec = {
  name: 'pi',
  rules,
  decode: decodePi,
  edit: (entry, changes) => editWith(editTable, { entry, changes }),
  compose: composePi,
  neutral: (entry) => neutralParts(entry, readMedia),
};

const textBlocks: DecoderTable<ResultPiece> = new Map([
  [
    'text',
    ({ text }: WireObject, at: Path) => (typeof text === 'string' ? { type: 'text', at, text } : undefined),
  ],
  ['image', decodeImage],
] as [string, (block: WireObject, at: Path) => ResultPiece | undefined][]);

const assistantBlocks: DecoderTable = new Map<string, (block: WireObject, at: Path) => Part | undefined>([
  ...textBlocks,
  ['thinking', decodeThinking],
  ['toolCall', decodeCall],
]);

type RoleDecoder = (message: WireObject, ordinal: number) => Entry;

const decoders: ReadonlyMap<unknown, RoleDecoder> = new Map<unknown, RoleDecoder>([
  ['user', decodeUser],
  ['custom', decodeNote],
  ['hookMessage', decodeNote],
  [
    'assistant',
    (wire, ordinal) =>
      makeEntry({ wire }, ordinal, 'assistant', decodeContent(wire['content'], ['content'], assistantBlocks)),
  ],
  ['toolResult', decodeToolResult],
  ['bashExecution', (wire, ordinal) => decodeTexts(wire, ordinal, ['command', 'output'])],
  ['branchSummary', decodeSummary],
  ['compactionSummary', decodeSummary],
]);

function decodePi(message: unknown, ordinal: number): Entry {
  if (!isObject(message)) return opaqueEntry(message, ordinal, 'user');
  return decoders.get(message['role'])?.(message, ordinal) ?? opaqueEntry(message, ordinal, 'user');
}

function decodeUser(wire: WireObject, ordinal: number): Entry {
  return makeEntry({ wire }, ordinal, 'user', decodeContent(wire['content'], ['content'], textBlocks));
}

/**
 * What a hook or an extension has put in: no user wrote it. Of a list of blocks nothing tells its texts from those that stand
 * for an image.
 */
function decodeNote(wire: WireObject, ordinal: number): Entry {
  return textOf(wire['content']) === undefined
    ? decodeUser(wire, ordinal)
    : decodeTexts(wire, ordinal, ['content']);
}

/** A note, or a command that the user ran beside the conversation and what it printed. */
function decodeTexts(wire: WireObject, ordinal: number, keys: readonly string[]): Entry {
  const parts = keys.flatMap((key): Part[] => {
    const text = textOf(wire[key]);
    return text === undefined ? [] : [{ type: 'text', at: [key], text, isInjected: 'aside' }];
  });
  return makeEntry({ wire }, ordinal, 'user', parts);
}

/** No user wrote it. */
function decodeSummary(wire: WireObject, ordinal: number): Entry {
  const text = textOf(wire['summary']);
  const parts: Part[] = text === undefined ? [] : [{ type: 'text', at: ['summary'], text, isInjected: true }];
  return makeEntry({ wire }, ordinal, 'user', parts);
}

function decodeToolResult(wire: WireObject, ordinal: number): Entry {
  const name = textOf(wire['toolName']);
  const part: Part = {
    type: 'result',
    at: [],
    callId: readCallId(wire['toolCallId'], name),
    isError: wire['isError'] === true,
    pieces: decodePieces(wire['content'], ['content'], textBlocks),
    ...(name === undefined ? {} : { name }),
  };
  return makeEntry({ wire }, ordinal, 'tool', [part]);
}

function decodeImage({ data, mimeType }: WireObject, at: Path): MediaPart | undefined {
  if (typeof data !== 'string') return undefined;
  return mediaPart(at, { mediaType: textOf(mimeType) ?? 'image/*', bytes: base64Media(data) });
}

function decodeThinking({ thinking, thinkingSignature, redacted }: WireObject, at: Path): Part | undefined {
  if (typeof thinking !== 'string') return undefined;
  const opaqueLength = textOf(thinkingSignature)?.length ?? 0;
  const part = { type: 'reasoning', at, text: redacted === true ? '' : thinking, opaqueLength } as const;
  return opaqueLength > 0 ? { ...part, binding: 'content' } : part;
}

function decodeCall(block: WireObject, at: Path): Part | undefined {
  const name = textOf(block['name']);
  if (name === undefined) return undefined;
  const input = { type: 'value', value: block['arguments'], at: [...at, 'arguments'] } as const;
  const part = { type: 'call', at, callId: readCallId(block['id'], name), name, input } as const;
  return textOf(block['thoughtSignature']) === undefined ? part : { ...part, binding: 'content' };
}

const textBlock = (text: string): { type: 'text'; text: string } => ({ type: 'text', text });

const editTable: EditTable = {
  'replace-result': (change, context) => editResult(change, context, { contentAt: ['content'], textBlock }),
  'replace-arguments': editArguments,
  'replace-text': ({ part, text }, { entry }) => editTextPart(entry.wire, part, text, ['text']),
  'replace-media': ({ part, text }, { entry }) => [blockInPlace(entry.wire, part.at, textBlock(text))],
  'drop-reasoning': ({ part }) => removeAt(part.at),
  'rename-call': ({ part, callId }) =>
    part.type === 'result'
      ? [{ at: ['toolCallId'], set: callId }]
      : [{ at: [...part.at, 'id'], set: callId }],
  // A message keeps its `content`, and a text that stands for a whole message its place.
  'drop-part': ({ part }) => (part.at.length === 1 ? [{ at: part.at, set: '' }] : removeAt(part.at)),
};

function readMedia(block: unknown): { readonly type: 'base64'; readonly data: string } | undefined {
  return isObject(block) && typeof block['data'] === 'string'
    ? { type: 'base64', data: block['data'] }
    : undefined;
}

interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

interface Said {
  readonly blocks: readonly Block[];
  readonly losses: readonly Loss[];
}

/**
 * Messages of pi's agent. Time, model and usage are not known here: the writer of a session file fills them in from
 * the messages beside. A system message becomes a user message, since pi keeps its own system prompt.
 */
function composePi(item: Synthetic): Composed<unknown> {
  const messages: unknown[] = [];
  const losses: Loss[] = [];
  for (const run of runsOf(item)) {
    if (run.type === 'results') {
      for (const { part, index } of run.results) {
        const said = sayAll(part.content, index);
        losses.push(...said.losses);
        messages.push({
          role: 'toolResult',
          toolCallId: part.callId,
          toolName: part.name,
          content: said.blocks,
          isError: part.isError,
        });
      }
      continue;
    }
    const role = item.role === 'assistant' ? 'assistant' : 'user';
    const said = run.parts.map(({ part, index }) =>
      role === 'assistant' ? sayAssistant(part, index) : say(part, index),
    );
    const content = said.flatMap(({ blocks }) => blocks);
    losses.push(...said.flatMap((one) => one.losses));
    if (content.length > 0) messages.push({ role, content });
  }
  return { messages, losses };
}

function sayAll(content: readonly NeutralContent[], index: number): Said {
  const said = content.map((part) => say(part, index));
  return { blocks: said.flatMap(({ blocks }) => blocks), losses: said.flatMap(({ losses }) => losses) };
}

function sayAssistant(part: NeutralPart, index: number): Said {
  if (part.type === 'call') {
    return {
      blocks: [{ type: 'toolCall', id: part.callId, name: part.name, arguments: part.input ?? {} }],
      losses: [],
    };
  }
  if (part.type === 'reasoning') return { blocks: [{ type: 'thinking', thinking: part.text }], losses: [] };
  return part.type === 'text' ? say(part, index) : lost(index, 'an assistant says only text here');
}

function say(part: NeutralPart, index: number): Said {
  if (part.type === 'text')
    return { blocks: part.text === '' ? [] : [{ type: 'text', text: part.text }], losses: [] };
  if (part.type !== 'media') return lost(index, `no ${part.type} in this role`);
  if (part.source.type === 'url' || !part.mediaType.startsWith('image/')) {
    return lost(index, `no ${part.mediaType} from a ${part.source.type} source`);
  }
  return { blocks: [{ type: 'image', data: part.source.data, mimeType: part.mediaType }], losses: [] };
}

function lost(index: number, reason: string): Said {
  return { blocks: [], losses: [{ path: `parts[${index}]`, reason }] };
}
