import { partOf, partsOf, resultContent } from './gemini-parts.ts';
import { replayGeminiRecords } from './gemini-records.ts';
import { ConversationBuilder } from './conversation-builder.ts';
import { outputText } from './neutral.ts';
import { UnreadTypes } from './unread-types.ts';
import { arrayOf, countOf, isObject, objectOf, textOf } from '../json-value.ts';
import type { NeutralContent, NeutralPart } from '@throughline/core';
import type { CountedUsage } from './conversation-builder.ts';
import type { FormatReading } from '../format.ts';
import type { JsonObject } from '../json-value.ts';
import type { JsonDocument, LinesDocument } from '../source/document.ts';

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
  return arrayOf(messages ?? history ?? contents);
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

type Add = (message: JsonObject, builder: ConversationBuilder) => void;

const adders: ReadonlyMap<string, Add> = new Map<string, Add>([
  ['user', (message, builder) => builder.say('user', partsOf(message['content']))],
  ['gemini', sayAnswer],
]);

function sayAnswer(message: JsonObject, builder: ConversationBuilder): void {
  const calls = arrayOf(message['toolCalls']).map((call, index) => {
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

function resultOf(callId: string, name: string, call: JsonObject): NeutralPart[] {
  // A call that still runs, or waits to be allowed, has none.
  if (!Array.isArray(call['result']) && !ended.has(call['status'])) return [];
  const isError = call['status'] === 'error' || call['status'] === 'cancelled';
  const content = arrayOf(call['result']).flatMap(resultContent);
  const shown: NeutralContent[] = [{ type: 'text', text: outputText(call['resultDisplay']) }];
  return [{ type: 'result', callId, name, content: content.length > 0 ? content : shown, isError }];
}

function thoughtsOf(thoughts: unknown): NeutralPart[] {
  return arrayOf(thoughts).flatMap((thought) => {
    const { subject, description } = objectOf(thought);
    const said = [textOf(subject), textOf(description)].filter((one) => one !== undefined).join(': ');
    return said === '' ? [] : [{ type: 'reasoning', text: said } as const];
  });
}

/** A content of the Gemini API; calls have no id there and are paired by name and order. */
function sayContent({ role, parts }: JsonObject, builder: ConversationBuilder): void {
  const spoken = arrayOf(parts).map(objectOf);
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

function usageOf(message: JsonObject): CountedUsage | undefined {
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
