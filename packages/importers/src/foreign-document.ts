import { isObject, listOf, objectOf, textOf } from './recording/json-value.ts';
import { isMostly } from './wire/message-shapes.ts';
import type { WireObject } from './recording/json-value.ts';
import type { RecordedDocument } from './recording/recording.ts';

/** A file of a tool that is not read, or not in this form, and what to do about it. */
interface ForeignDocument {
  /** Whether an object is, or is an element of, such a file. */
  readonly isOwn: (value: WireObject) => boolean;
  readonly sentence: string;
}

const foreignDocuments: readonly ForeignDocument[] = [
  {
    isOwn: ({ log }) => Array.isArray(objectOf(log)['entries']),
    sentence:
      'this is an HTTP archive (HAR), which is not read; ' +
      'give the body of one request (log.entries[…].request.postData.text) as a file of its own',
  },
  {
    isOwn: ({ type, ts, say, ask }) =>
      typeof ts === 'number' &&
      ((type === 'say' && say !== undefined) || (type === 'ask' && ask !== undefined)),
    sentence:
      'these are the messages that Cline shows (ui_messages.json); ' +
      'what it sends is in api_conversation_history.json beside it',
  },
  {
    isOwn: (value) =>
      isLangChain(value) || isMostly(listOf(value['messages']), (one) => isLangChain(objectOf(one))),
    sentence:
      'these are messages of LangChain (human, ai), which are not read; ' +
      'convert them with convert_to_openai_messages and give the result',
  },
  {
    isOwn: ({ kind, parts }) =>
      (kind === 'request' || kind === 'response') &&
      listOf(parts).some((part) => 'part_kind' in objectOf(part)),
    sentence:
      'these are messages of Pydantic AI (part_kind), which are not read; ' +
      'give the body of a request to the provider instead',
  },
  {
    isOwn: ({ id, sessionID, messageID, role, type }) =>
      textOf(id) !== undefined &&
      textOf(sessionID) !== undefined &&
      (role !== undefined || (textOf(messageID) !== undefined && type !== undefined)),
    sentence:
      'this is one message, or a part of one, out of the storage of OpenCode; ' +
      'give a whole session, as opencode export writes it',
  },
  {
    isOwn: ({ mapping }) => Object.values(objectOf(mapping)).some((node) => 'message' in objectOf(node)),
    sentence: 'this is an export of ChatGPT, which is not read: it holds no requests to a model',
  },
  {
    isOwn: (value) => Array.isArray(value['chat_messages']),
    sentence: 'this is an export of claude.ai, which is not read: it holds no requests to a model',
  },
  {
    isOwn: ({ requests }) => isMostly(listOf(requests), (one) => isObject(objectOf(one)['message'])),
    sentence: 'this is a chat of VS Code, which is not read: it holds no requests to a model',
  },
  {
    isOwn: ({ type }) => streamTypes.has(type),
    sentence:
      'these are the events of one streamed answer, which are not read; ' +
      'give the body of the request instead',
  },
];

const streamTypes: ReadonlySet<unknown> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'response.created',
  'response.output_item.added',
  'response.output_text.delta',
]);

function isLangChain({ type, content, data, lc }: WireObject): boolean {
  if (lc === 1) return true;
  const said = isObject(data) ? data['content'] : content;
  return (type === 'human' || type === 'ai') && said !== undefined;
}

const sampleSize = 200;

/**
 * Names a file that is known and not read, as a sentence. `ownerOf` says which tool's log an object would be a line
 * of: a list of such objects is that log in another form.
 */
export function foreignDocument(
  document: RecordedDocument,
  ownerOf: (value: unknown) => string | undefined,
): string | undefined {
  const root = rootOf(document);
  const values: readonly unknown[] = Array.isArray(root) ? root : [root];
  const sample = values.slice(0, sampleSize);
  const found = foreignDocuments.find(({ isOwn }) =>
    isMostly(sample, (value) => isObject(value) && isOwn(value)),
  );
  return found?.sentence ?? listOfLines(root, ownerOf);
}

/** Lines are the elements of a list; a single line is a file of its own. */
function rootOf(document: RecordedDocument): unknown {
  if (document.type === 'json') return document.value;
  const [first, ...others] = document.lines;
  return others.length === 0 ? first?.value : document.lines.map(({ value }) => value);
}

function listOfLines(value: unknown, ownerOf: (value: unknown) => string | undefined): string | undefined {
  const lists = isObject(value) ? Object.entries(value) : [['', value] as const];
  for (const [name, list] of lists) {
    const owners = listOf(list).slice(0, sampleSize).map(ownerOf);
    const owner = owners.find((one) => one !== undefined);
    if (owner === undefined || !isMostly(owners, (one) => one === owner)) continue;
    const query = name === '' ? '.[]' : `.${name}[]`;
    return `this is one list of what ${owner} has in lines; give each element in a line of its own (jq -c '${query}')`;
  }
  return undefined;
}

const maxNames = 6;
const maxNameChars = 40;

/** What a file holds, in a few words: for the one who gave the wrong file. */
export function describeDocument(document: RecordedDocument): string {
  if (document.type === 'json') return describeValue(document.value);
  const { lines } = document;
  if (lines.length === 1) return describeValue(lines[0]?.value);
  const types = namesOf(lines.map(({ value }) => (isObject(value) ? textOf(value['type']) : undefined)));
  const first = describeValue(lines[0]?.value);
  return `${lines.length} lines (${types === '' ? `the first is ${first}` : `of the types ${types}`})`;
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return 'an empty list';
    const first: unknown = value[0];
    return `a list of ${value.length}, the first of which is ${Array.isArray(first) ? 'a list' : describeValue(first)}`;
  }
  if (!isObject(value)) return value === null ? 'null' : `a single ${typeof value}`;
  const names = namesOf(
    Object.entries(value).map(([name, member]) =>
      Array.isArray(member) && member.length === 0 ? `${name} (an empty list)` : name,
    ),
  );
  return names === '' ? 'an empty object' : `an object with ${names}`;
}

/** The first few different ones. */
function namesOf(names: readonly (string | undefined)[]): string {
  const different = [...new Set(names.filter((name) => name !== undefined))];
  const shown = different.slice(0, maxNames).map((name) => name.slice(0, maxNameChars));
  return [...shown, ...(different.length > maxNames ? ['…'] : [])].join(', ');
}
