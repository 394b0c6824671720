import { isMessage, isMessageList, isMostly, listNameIn } from './message-shapes.ts';
import { textInput } from '../requests/request-formats.ts';
import { isObject } from '../recording/json-value.ts';
import type { WireObject } from '../recording/json-value.ts';
import type { LinesDocument, Origin, RecordedDocument } from '../recording/recording.ts';
import type { Path } from '@throughline/core/codec';

/** Messages that follow each other somewhere in a file, and the object that holds their list. */
export interface Conversation {
  readonly messages: readonly unknown[];
  readonly origins: readonly Origin[];
  readonly holder: WireObject;
}

/** Names under which a log keeps a whole request. */
const requestNames = ['request', 'body', 'params', 'requestBody'];

/**
 * All conversations of a document: a list of messages, an object that holds one, a list of such objects, a single
 * message; in JSONL a message per line or one of these per line. Empty when there is nothing of the kind.
 */
export function conversationsIn(document: RecordedDocument): Conversation[] {
  if (document.type === 'json') return conversationsInValue(document.value, [], elementOrigin);
  return conversationOfLines(document) ?? conversationsPerLine(document);
}

/** A message per line. Among messages a line that is none stays in its place, as it would in a list. */
function conversationOfLines({ lines }: LinesDocument): Conversation[] | undefined {
  const first = lines.findIndex(({ value }) => isMessage(value));
  const rest = lines.slice(first);
  if (first < 0 || !isMostly(rest, ({ value }) => isMessage(value))) return undefined;
  return [
    {
      messages: rest.map(({ value }) => value),
      origins: rest.map((_, index) => ({ type: 'line', line: first + index, at: [] })),
      holder: {},
    },
  ];
}

/** A request per line; where there is none, the few lines that are messages. */
function conversationsPerLine({ lines }: LinesDocument): Conversation[] {
  const requests: Conversation[] = [];
  const messages: unknown[] = [];
  const origins: Origin[] = [];
  for (const [line, { value }] of lines.entries()) {
    if (isMessage(value)) {
      messages.push(value);
      origins.push({ type: 'line', line, at: [] });
      continue;
    }
    const inLine = conversationsInValue(value, [], (array, index) => {
      return { type: 'line', line, at: [...array, index] };
    });
    for (const one of inLine) requests.push(one);
  }
  return requests.length > 0 || messages.length === 0 ? requests : [{ messages, origins, holder: {} }];
}

type MakeOrigin = (array: Path, index: number) => Origin;

const elementOrigin: MakeOrigin = (array, index) => ({ type: 'element', array, index });

function conversationsInValue(value: unknown, at: Path, origin: MakeOrigin): Conversation[] {
  if (Array.isArray(value)) {
    if (isMessageList(value)) return [conversation(value, at, {}, origin)];
    return at.length > 0 ? [] : value.flatMap((item, index) => conversationsInValue(item, [index], origin));
  }
  if (!isObject(value)) return [];
  const name = listNameIn(value);
  if (name !== undefined) return [conversation(value[name] as unknown[], [...at, name], value, origin)];
  if (isMessage(value)) return [{ messages: [value], origins: [{ type: 'composed' }], holder: value }];
  const text = textInput(value);
  if (text !== undefined)
    return [conversation([{ role: 'user', content: text }], [...at, 'input'], value, origin)];
  const request = requestNames.find((one) => isObject(value[one]) && at.length < 2);
  if (request !== undefined) return conversationsInValue(value[request], [...at, request], origin);
  return choicesOf(value);
}

function conversation(
  messages: readonly unknown[],
  array: Path,
  holder: WireObject,
  origin: MakeOrigin,
): Conversation {
  return { messages, origins: messages.map((_, index) => origin(array, index)), holder };
}

/** The answer of a chat completion. */
function choicesOf(value: WireObject): Conversation[] {
  const choices: unknown = value['choices'];
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = isObject(first) ? first['message'] : undefined;
  return isMessage(message) ? [{ messages: [message], origins: [{ type: 'composed' }], holder: value }] : [];
}
