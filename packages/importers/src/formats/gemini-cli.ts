import { writeJson } from '@throughline/core/internal';
import { ConversationBuilder, outputText, text } from '../compose/conversation-builder.ts';
import { countOf, isObject, listOf, objectOf, textOf } from '../recording/json-value.ts';
import { unknownLinesNote, UnreadTypes } from '../source/unreadable.ts';
import type { NeutralContent, NeutralMedia, NeutralPart } from '@throughline/core/codec';
import type { CountedUsage } from '../compose/conversation-builder.ts';
import type { FormatReading } from '../recording/format.ts';
import type { WireObject } from '../recording/json-value.ts';
import type { JsonDocument, LinesDocument, RecordingNote } from '../recording/recording.ts';

/** A session file has messages of type user and gemini; a saved chat is a list of contents with parts. */
export function geminiEvidence(root: unknown): number {
  const contents = contentsOf(root);
  const marks = contents.filter((message) => {
    const { type, role, parts } = objectOf(message);
    return (
      type === 'gemini' ||
      (type === 'user' && 'content' in objectOf(message)) ||
      (role === 'model' && Array.isArray(parts))
    );
  }).length;
  if (isObject(root) && 'sessionId' in root) return marks === 0 ? 0 : marks + 2;
  // A chat alternates; one odd message does not make it one.
  return marks * 3 >= contents.length ? marks : 0;
}

function contentsOf(root: unknown): readonly unknown[] {
  if (Array.isArray(root)) return root;
  const { messages, history, contents } = objectOf(root);
  return listOf(messages ?? history ?? contents);
}

/** Reads a Gemini CLI session or a chat saved by it. System prompt and tools are not in the file. */
export function readGeminiCli({ value }: JsonDocument): FormatReading {
  return readSession(value);
}

/** Reads a session file with a record per line, as newer versions write it. */
export function readGeminiLines(document: LinesDocument): FormatReading {
  const { root, notes } = replayGeminiRecords(document);
  const reading = readSession(root);
  return { ...reading, notes: [...notes, ...reading.notes] };
}

function readSession(session: unknown): FormatReading {
  const builder = new ConversationBuilder();
  const root = objectOf(session);
  const unread = new UnreadTypes(quietTypes);
  let model: string | undefined;
  for (const message of contentsOf(session)) {
    const value = objectOf(message);
    const type = textOf(value['type']) ?? '';
    model = textOf(value['model']) ?? model;
    const add = adders.get(type);
    if (Array.isArray(value['parts'])) sayContent(value, builder);
    else if (add) add(value, builder);
    else unread.see(type, 'message');
  }
  if (builder.length === 0) return { sessions: [], notes: unread.notes() };
  const id = textOf(root['sessionId']) ?? 'session';
  return { sessions: [builder.session({ id, kind: 'active', model })], notes: unread.notes() };
}

/** What Gemini CLI shows and does not send. */
const quietTypes: ReadonlySet<string> = new Set(['info', 'error', 'warning']);

type Add = (message: WireObject, builder: ConversationBuilder) => void;

const adders: ReadonlyMap<string, Add> = new Map<string, Add>([
  ['user', (message, builder) => builder.say('user', withJoinedFiles(partsOf(message['content'])))],
  ['gemini', sayAnswer],
]);

function sayAnswer(message: WireObject, builder: ConversationBuilder): void {
  const calls = listOf(message['toolCalls']).map((call, index) => {
    const value = objectOf(call);
    const name = textOf(value['name']) ?? 'tool';
    return { value, name, id: textOf(value['id']) ?? `${name}-${builder.length}-${index}` };
  });
  builder.measure(usageOf(message));
  builder.say('assistant', [
    ...thoughtsOf(message['thoughts']),
    ...partsOf(message['content']),
    ...calls.map(({ id, name, value }): NeutralPart => ({
      type: 'call',
      callId: id,
      name,
      input: value['args'],
    })),
  ]);
  builder.say(
    'tool',
    calls.flatMap(({ id, name, value }) => resultOf(id, name, value)),
  );
}

const ended: ReadonlySet<unknown> = new Set(['success', 'error', 'cancelled']);

function resultOf(callId: string, name: string, call: WireObject): NeutralPart[] {
  // A call that still runs, or waits to be allowed, has none.
  if (!Array.isArray(call['result']) && !ended.has(call['status'])) return [];
  const isError = call['status'] === 'error' || call['status'] === 'cancelled';
  const content = listOf(call['result']).flatMap(resultContent);
  const shown: NeutralContent[] = [{ type: 'text', text: outputText(call['resultDisplay']) }];
  return [{ type: 'result', callId, name, content: content.length > 0 ? content : shown, isError }];
}

function thoughtsOf(thoughts: unknown): NeutralPart[] {
  return listOf(thoughts).flatMap((thought) => {
    const { subject, description } = objectOf(thought);
    const said = [textOf(subject), textOf(description)].filter((one) => one !== undefined).join(': ');
    return said === '' ? [] : [{ type: 'reasoning', text: said } as const];
  });
}

/** A content of the Gemini API; calls have no id there and are paired by name and order. */
function sayContent({ role, parts }: WireObject, builder: ConversationBuilder): void {
  const spoken = listOf(parts).map(objectOf);
  const calls = spoken.flatMap(({ functionCall }): NeutralPart[] => {
    const { id, name, args } = objectOf(functionCall);
    const called = textOf(name);
    return called === undefined
      ? []
      : [{ type: 'call', callId: textOf(id) ?? called, name: called, input: args }];
  });
  const results = spoken.flatMap((part): NeutralPart[] => {
    const { id, name, response } = objectOf(part['functionResponse']);
    const called = textOf(name);
    if (called === undefined) return [];
    const isError = objectOf(response)['error'] !== undefined;
    const callId = textOf(id) ?? called;
    return [{ type: 'result', callId, name: called, content: resultContent(part), isError }];
  });
  builder.say('tool', results);
  builder.say(role === 'model' ? 'assistant' : 'user', [...spoken.flatMap(partOf), ...calls]);
}

function usageOf(message: WireObject): CountedUsage | undefined {
  const tokens = objectOf(message['tokens']);
  const model = textOf(message['model']);
  return {
    inputTokens: countOf(tokens['input']),
    cacheReadTokens: countOf(tokens['cached']),
    cacheWriteTokens: 0,
    outputTokens: countOf(tokens['output']) + countOf(tokens['thoughts']),
    ...(model === undefined ? {} : { model }),
  };
}

/** The parts of a Gemini content: a text, a part, or a list of both. Calls and their answers are told apart. */
function partsOf(content: unknown): NeutralPart[] {
  const parts = Array.isArray(content) ? (content as unknown[]) : [content];
  return parts.flatMap((part) => (typeof part === 'string' ? [text(part)] : partOf(objectOf(part))));
}

const filesHeading = '--- Content from referenced files ---';

/** The files that a user named, as one text: their heading, the path and the content of each are parts of their own. */
function withJoinedFiles(parts: readonly NeutralPart[]): readonly NeutralPart[] {
  const first = parts.findIndex((part) => part.type === 'text' && part.text.trim() === filesHeading);
  if (first < 0) return parts;
  const behind = parts.slice(first);
  const texts = behind.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return [
    ...parts.slice(0, first),
    text(texts.join('').trim()),
    ...behind.filter(({ type }) => type !== 'text'),
  ];
}

function partOf(part: WireObject): NeutralPart[] {
  if (isObject(part['functionCall']) || isObject(part['functionResponse'])) return [];
  const said = textOf(part['text']);
  if (said !== undefined) return [part['thought'] === true ? { type: 'reasoning', text: said } : text(said)];
  const media = mediaOf(part);
  if (media) return [media];
  const { thoughtSignature: _signature, text: _empty, thought: _thought, ...rest } = part;
  return Object.keys(rest).length === 0 ? [] : [text(writeJson(rest))];
}

function mediaOf(part: WireObject): NeutralMedia | undefined {
  const { data, mimeType } = objectOf(part['inlineData']);
  const { fileUri, mimeType: fileType } = objectOf(part['fileData']);
  const mediaType = textOf(mimeType) ?? textOf(fileType) ?? 'application/octet-stream';
  if (typeof data === 'string') return { type: 'media', mediaType, source: { type: 'base64', data } };
  const url = textOf(fileUri);
  return url === undefined ? undefined : { type: 'media', mediaType, source: { type: 'url', url } };
}

/** What the model sees of a result: the output of a function response, and the media that come with it. */
function resultContent(part: unknown): NeutralContent[] {
  const value = objectOf(part);
  const media = mediaOf(value);
  if (media) return [media];
  const { response, parts } = objectOf(value['functionResponse']);
  const { output, error } = objectOf(response);
  const beside = Array.isArray(parts)
    ? (parts as unknown[]).flatMap((one) => mediaOf(objectOf(one)) ?? [])
    : [];
  return [
    { type: 'text', text: outputText(output ?? error ?? response ?? value['text'] ?? part) },
    ...beside,
  ];
}

/** What the records of a session file add up to: the session as it would be one JSON value. */
interface GeminiSession {
  readonly root: WireObject;
  readonly notes: readonly RecordingNote[];
}

/** Whether a line can only come from a session file of Gemini CLI. */
export function ownsGeminiLine(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (isObject(value['$set']) || typeof value['$rewindTo'] === 'string') return true;
  return isHead(value) || (value['type'] === 'gemini' && typeof value['id'] === 'string');
}

function isHead({ sessionId, projectHash, type }: WireObject): boolean {
  return typeof sessionId === 'string' && typeof projectHash === 'string' && type === undefined;
}

/**
 * Replays the records in file order: a message takes the place of an earlier one with its id, a rewind takes the
 * messages from one on away (all where it is not known), and a `$set` with messages replaces them all.
 */
function replayGeminiRecords(document: LinesDocument): GeminiSession {
  const messages = new Map<string, unknown>();
  let head: WireObject = {};
  const strange: number[] = [];
  const add = (message: unknown): boolean => {
    const id = isObject(message) ? textOf(message['id']) : undefined;
    if (id !== undefined) messages.set(id, message);
    return id !== undefined;
  };
  const update = (members: WireObject): void => {
    if (Array.isArray(members['messages'])) messages.clear();
    for (const message of listOf(members['messages'])) add(message);
    head = { ...head, ...members };
  };
  for (const { value, number } of document.lines) {
    if (!isObject(value)) strange.push(number);
    else if (typeof value['$rewindTo'] === 'string') rewind(messages, value['$rewindTo']);
    else if (isObject(value['$set'])) update(value['$set']);
    else if (isHead(value)) update(value);
    else if (!add(value)) strange.push(number);
  }
  const [line] = strange;
  const notes = line === undefined ? [] : [{ line, note: unknownLinesNote(strange.length) }];
  return { root: { ...head, messages: [...messages.values()] }, notes };
}

function rewind(messages: Map<string, unknown>, id: string): void {
  const ids = [...messages.keys()];
  for (const one of ids.slice(Math.max(0, ids.indexOf(id)))) messages.delete(one);
}
