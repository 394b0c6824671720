import { isObject, listOf, textOf } from '../json/json.ts';
import { decodeContent, makeEntry, opaqueEntry, opaquePart } from './decode-parts.ts';
import { mendList, mendText, withMembers, withoutUnfit } from './mending.ts';
import type { Path } from '../json/json.ts';
import type { DecoderTable, Roles, WireObject } from './decode-parts.ts';
import type { BlockMender, BlockShape, MemberChecks, Mending } from './mending.ts';
import type {
  CallId,
  CallInput,
  CallPart,
  Entry,
  Part,
  ReasoningPart,
  ResultPart,
  ResultPiece,
  Role,
} from '../transcript/entry.ts';

/** Parts of one item type, and who produced it. `undefined` when the item cannot be read. */
export interface ItemDecoder {
  readonly role: Role;
  readonly decode: (item: WireObject) => readonly Part[] | undefined;
}

/** A format in which calls, results and reasoning are items beside the messages. */
export interface ItemFormat {
  readonly roles: Roles;
  readonly contentBlocks: DecoderTable<ResultPiece>;
  readonly items: ReadonlyMap<string, ItemDecoder>;
  /** Who produced an item of a type that is not known. */
  readonly roleOfUnknown: (type: string) => Role;
}

export function decodeItem(item: unknown, ordinal: number, format: ItemFormat): Entry {
  if (!isObject(item)) return opaqueEntry(item, ordinal, 'user');
  const type = textOf(item['type']) || (item['role'] === undefined ? '' : 'message');
  const { role, parts } = type === 'message' ? readMessage(item, format) : readItem(item, type, format);
  return makeEntry({ wire: item, id: item['id'] }, ordinal, role, parts);
}

type ReadItem = Pick<Entry, 'role' | 'parts'>;

function readMessage(item: WireObject, { roles, contentBlocks }: ItemFormat): ReadItem {
  const role = roles.get(item['role']);
  if (!role) return { role: 'user', parts: [opaquePart(item, [])] };
  return { role, parts: decodeContent<Part>(item['content'], ['content'], contentBlocks) };
}

function readItem(item: WireObject, type: string, { items, roleOfUnknown }: ItemFormat): ReadItem {
  const decoder = items.get(type) ?? opaqueItem(roleOfUnknown(type));
  const role = item['execution'] === 'server' ? 'assistant' : decoder.role;
  return { role, parts: decoder.decode(item) ?? [opaquePart(item, [])] };
}

/** An item that only its provider understands. */
export function opaqueItem(role: Role): ItemDecoder {
  return { role, decode: () => undefined };
}

/** The provider's own compaction. */
export const barrierItem: ItemDecoder = {
  role: 'assistant',
  decode: (item) => [{ ...opaquePart(item, []), isBarrier: true }],
};

/** Reads the id that pairs a call with its result. */
type IdReader = (item: WireObject, name: unknown) => CallId;

/** By item type: the tool's name where the item states none, and the fields that may hold the arguments. */
interface CallShape {
  readonly name?: string;
  readonly input: readonly string[];
}

const callShapes: ReadonlyMap<string, CallShape> = new Map<string, CallShape>([
  ['function_call', { input: ['arguments'] }],
  ['custom_tool_call', { input: ['input'] }],
  ['local_shell_call', { name: 'local_shell', input: ['action'] }],
  ['shell_call', { name: 'shell', input: ['action'] }],
  ['apply_patch_call', { name: 'apply_patch', input: ['operation'] }],
  ['computer_call', { name: 'computer', input: ['action', 'actions'] }],
  ['tool_search_call', { name: 'tool_search', input: ['arguments'] }],
]);

/**
 * The items that call a tool of the client (or, with `execution: server`, of the provider), as rows of a table.
 *
 * @param unknown types that the format does not have
 */
export function callItems(callIdOf: IdReader, unknown: readonly string[] = []): [string, ItemDecoder][] {
  return [...callShapes]
    .filter(([type]) => !unknown.includes(type))
    .map(([type, shape]) => [
      type,
      { role: 'assistant', decode: (item) => decodeCall(item, shape, callIdOf) },
    ]);
}

function decodeCall(item: WireObject, shape: CallShape, callIdOf: IdReader): readonly Part[] | undefined {
  const name = textOf(item['name']) || shape.name;
  if (name === undefined) return undefined;
  const field = shape.input.find((key) => item[key] !== undefined) ?? shape.input[0] ?? '';
  const callId = callIdOf(item, name);
  const call: CallPart = { type: 'call', at: [], callId, name, input: readInput(item, field) };
  return [item['execution'] === 'server' ? { ...call, isProviderExecuted: true } : call];
}

/** Function arguments are JSON text; the input of a custom tool is any text and therefore a value. */
export function readInput(item: WireObject, field: string): CallInput {
  const value = item[field];
  const isJsonText = field === 'arguments' && typeof value === 'string';
  return isJsonText ? { type: 'text', text: value, at: [field] } : { type: 'value', value, at: [field] };
}

type OutputReader = (output: unknown, type: string) => readonly ResultPiece[];

/** An item that answers a call. */
export function outputItem(callIdOf: IdReader, readOutput: OutputReader): ItemDecoder {
  return { role: 'tool', decode: (item) => [decodeOutput(item, callIdOf, readOutput)] };
}

function decodeOutput(item: WireObject, callIdOf: IdReader, readOutput: OutputReader): ResultPart {
  const { name } = item;
  const result: ResultPart = {
    type: 'result',
    at: [],
    callId: callIdOf(item, name),
    isError: item['status'] === 'failed',
    pieces: piecesOf(item, readOutput),
    ...(typeof name === 'string' && { name }),
  };
  return item['execution'] === 'server' ? { ...result, isProviderExecuted: true } : result;
}

function piecesOf({ type, output, tools }: WireObject, readOutput: OutputReader): readonly ResultPiece[] {
  if (type === 'tool_search_output') return tools === undefined ? [] : [opaquePart(tools, ['tools'])];
  const isShell = type === 'shell_call_output' && Array.isArray(output);
  return isShell ? output.flatMap(streamsOf) : readOutput(output, textOf(type));
}

/** A shell answers each command with its two streams. */
function streamsOf(chunk: unknown, index: number): ResultPiece[] {
  const at: Path = ['output', index];
  if (!isObject(chunk)) return [opaquePart(chunk, at)];
  return ['stdout', 'stderr'].flatMap((stream): ResultPiece[] => {
    const text = chunk[stream];
    return typeof text === 'string' && text !== '' ? [{ type: 'text', at: [...at, stream], text }] : [];
  });
}

/** A reasoning item is refused without the item after it, and that item without its reasoning. */
export function reasoningPart(lists: readonly unknown[], opaqueLength: number): ReasoningPart {
  const text = lists.flatMap(textsOf).join('\n\n');
  return { type: 'reasoning', at: [], text, opaqueLength, binding: 'next-item' };
}

function textsOf(blocks: unknown): string[] {
  return listOf(blocks).flatMap((block) =>
    isObject(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  );
}

export type ItemMender = (item: WireObject, mending: Mending) => unknown;

/** How a format of items writes them. */
interface ItemShape {
  /** What an item is called in an error. */
  readonly what: string;
  /** What members that every item may have can hold. */
  readonly members: MemberChecks;
  readonly items: ReadonlyMap<unknown, ItemMender>;
  /** An item with a role and no type is a message. */
  readonly message: ItemMender;
  /** Items of types that are not known here. */
  readonly other: ItemMender;
}

/** What stands inside a message, in one format or another: none of it is an item by itself. */
const blockTypes: readonly unknown[] =
  'text input_text output_text refusal input_image input_file input_audio image file image_url tool_use tool_result tool-call tool-result'.split(
    ' ',
  );

/** An item of a format in which calls, results and reasoning stand beside the messages; what is none is refused. */
export function mendItem(item: unknown, shape: ItemShape, mending: Mending): unknown {
  if (!isObject(item)) return mending.refuse([], `${shape.what}, with a type`, item);
  const { type, role } = item;
  const fit = withoutUnfit(item, shape.members, mending);
  if (blockTypes.includes(type))
    return mending.refuse(['type'], 'the type of an item, not of a content block', type);
  if (typeof type === 'string' && type !== '') return (shape.items.get(type) ?? shape.other)(fit, mending);
  if (role === undefined) return mending.refuse(['type'], 'the type of an item', type);
  if (type === undefined) return shape.message(fit, mending);
  const typed = withMembers(fit, { type: mending.put(['type'], 'was no type', 'message') });
  return shape.message(typed, mending);
}

/** How a format of items writes the content of its messages, or of its results. */
export interface ContentShape {
  /** The type of a text: it differs by who says it. */
  readonly textType: 'input_text' | 'output_text';
  readonly hasRefusals: boolean;
  /** Types of blocks that other formats have. */
  readonly foreign: readonly string[];
  /** What members that every block may have can hold. */
  readonly members: MemberChecks;
  /** Mends a block that is no text. */
  readonly media: BlockMender;
}

const textTypes: readonly unknown[] = ['text', 'input_text', 'output_text'];

/** The blocks of such a content. */
export function contentBlocks(shape: ContentShape): BlockShape {
  const { textType, foreign } = shape;
  return { textType, foreign, mend: (block, mending) => mendContentBlock(block, shape, mending) };
}

function mendContentBlock(given: WireObject, shape: ContentShape, mending: Mending): unknown {
  const { textType } = shape;
  const block = withoutUnfit(given, shape.members, mending);
  const { type } = block;
  if (type === 'refusal' && shape.hasRefusals) return mendText(block, mending, 'refusal');
  if (!textTypes.includes(type)) return shape.media(block, mending);
  const own =
    type === textType
      ? block
      : withMembers(block, { type: mending.put(['type'], 'is the type of another role', textType) });
  return mendText(own, mending);
}

/** Texts of reasoning, of one type: what is none goes. */
export function mendThoughts(blocks: readonly unknown[], type: string, mending: Mending): readonly unknown[] {
  return mendList(blocks, mending, (block, inner) => {
    const isThought = isObject(block) && block['type'] === type && typeof block['text'] === 'string';
    return isThought ? block : inner.drop('was no text of reasoning');
  });
}
