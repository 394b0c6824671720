import { Narration } from './narration.ts';
import { outputText, result, text } from './neutral.ts';
import { arrayOf, countOf, isObject, objectOf, textOf } from '../json-value.ts';
import type { NeutralPart } from '@throughline/core';
import type { CountedUsage } from './narration.ts';
import type { FormatReading } from '../format.ts';
import type { JsonObject } from '../json-value.ts';
import type { JsonDocument } from '../source/document.ts';

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
export function readGeminiCli(document: JsonDocument): FormatReading {
  const narration = new Narration();
  const root = objectOf(document.value);
  let model: string | undefined;
  for (const message of contentsOf(document.value)) {
    const value = objectOf(message);
    model = textOf(value['model']) ?? model;
    if (Array.isArray(value['parts'])) sayContent(value, narration);
    else tellers.get(textOf(value['type']) ?? '')?.(value, narration);
  }
  if (narration.length === 0) return { sessions: [], notes: [] };
  const id = textOf(root['sessionId']) ?? 'session';
  return { sessions: [narration.session({ id, kind: 'active', model })], notes: [] };
}

type Tell = (message: JsonObject, narration: Narration) => void;

const tellers: ReadonlyMap<string, Tell> = new Map<string, Tell>([
  ['user', (message, narration) => narration.say('user', partsOf(message['content']))],
  ['gemini', sayAnswer],
]);

function sayAnswer(message: JsonObject, narration: Narration): void {
  const calls = arrayOf(message['toolCalls']).map((call, index) => {
    const value = objectOf(call);
    const name = textOf(value['name']) ?? 'tool';
    return { value, name, id: textOf(value['id']) ?? `${name}-${narration.length}-${index}` };
  });
  narration.measure(usageOf(message));
  narration.say('assistant', [
    ...thoughtsOf(message['thoughts']),
    ...partsOf(message['content']),
    ...calls.map(({ id, name, value }): NeutralPart => ({
      type: 'call',
      callId: id,
      name,
      input: value['args'],
    })),
  ]);
  const results = calls.flatMap(({ id, name, value }) =>
    value['result'] === undefined && value['status'] === undefined
      ? []
      : [
          result(
            { id, name },
            resultText(value),
            value['status'] === 'error' || value['status'] === 'cancelled',
          ),
        ],
  );
  narration.say('tool', results);
}

/** What the model sees of a result: the output of its function response. */
function resultText(call: JsonObject): string {
  const texts = arrayOf(call['result']).map((part) => {
    const { response } = objectOf(objectOf(part)['functionResponse']);
    const { output, error } = objectOf(response);
    return outputText(output ?? error ?? response ?? part);
  });
  return texts.length > 0 ? texts.join('\n') : outputText(call['resultDisplay']);
}

function thoughtsOf(thoughts: unknown): NeutralPart[] {
  return arrayOf(thoughts).flatMap((thought) => {
    const { subject, description } = objectOf(thought);
    const said = [textOf(subject), textOf(description)].filter((one) => one !== undefined).join(': ');
    return said === '' ? [] : [{ type: 'reasoning', text: said } as const];
  });
}

function partsOf(content: unknown): NeutralPart[] {
  if (typeof content === 'string') return [text(content)];
  const parts = Array.isArray(content) ? (content as unknown[]) : [content];
  return parts.flatMap((part) => partOf(objectOf(part)));
}

function partOf(part: JsonObject): NeutralPart[] {
  const said = textOf(part['text']);
  if (said !== undefined) return [part['thought'] === true ? { type: 'reasoning', text: said } : text(said)];
  const { data, mimeType } = objectOf(part['inlineData']);
  if (typeof data !== 'string') return [];
  return [
    {
      type: 'media',
      mediaType: textOf(mimeType) ?? 'application/octet-stream',
      source: { type: 'base64', data },
    },
  ];
}

/** A content of the Gemini API; calls have no id there and are paired by name and order. */
function sayContent({ role, parts }: JsonObject, narration: Narration): void {
  const spoken = arrayOf(parts).map(objectOf);
  const calls = spoken.flatMap(({ functionCall }): NeutralPart[] => {
    const { id, name, args } = objectOf(functionCall);
    const called = textOf(name);
    return called === undefined
      ? []
      : [{ type: 'call', callId: textOf(id) ?? called, name: called, input: args }];
  });
  const results = spoken.flatMap(({ functionResponse }) => {
    const { id, name, response } = objectOf(functionResponse);
    const called = textOf(name);
    if (called === undefined) return [];
    const { output, error } = objectOf(response);
    return [
      result(
        { id: textOf(id) ?? called, name: called },
        outputText(output ?? error ?? response),
        error !== undefined,
      ),
    ];
  });
  narration.say('tool', results);
  narration.say(role === 'model' ? 'assistant' : 'user', [...spoken.flatMap(partOf), ...calls]);
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
