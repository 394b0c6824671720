import { isObject, valueAt } from '../../json/json.ts';
import type { Entry, Part, Role } from '../../transcript/entry.ts';
import type { WireObject } from '../decode-parts.ts';
import { decodeContent, makeEntry, opaqueEntry, opaquePart, readText } from '../decode-parts.ts';
import { contentBlocks } from './content-blocks.ts';
import { decodeCallItem, decodeHostedCall } from './decode-call.ts';
import { decodeOutputItem } from './decode-output.ts';

/** Parts of one item type, and who produced it. `undefined` when the item cannot be read. */
interface ItemDecoder {
  readonly role: Role;
  readonly decode: (item: WireObject) => readonly Part[] | undefined;
}

const call: ItemDecoder = { role: 'assistant', decode: decodeCallItem };
const output: ItemDecoder = { role: 'tool', decode: decodeOutputItem };
const barrier: ItemDecoder = {
  role: 'assistant',
  decode: (item) => [{ ...opaquePart(item, []), isBarrier: true }],
};
const opaque: ItemDecoder = { role: 'assistant', decode: () => undefined };

const items: ReadonlyMap<string, ItemDecoder> = new Map([
  ['reasoning', { role: 'assistant', decode: decodeReasoning }],
  ['function_call', call],
  ['shell_call', call],
  ['apply_patch_call', call],
  ['computer_call', call],
  ['tool_search_call', call],
  ['function_call_result', output],
  ['shell_call_output', output],
  ['apply_patch_call_output', output],
  ['computer_call_result', output],
  ['tool_search_output', output],
  ['hosted_tool_call', { role: 'assistant', decode: decodeHostedCall }],
  ['compaction', barrier],
] satisfies [string, ItemDecoder][]);

const roles: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
]);

export function decodeAgentsItem(item: unknown, ordinal: number): Entry {
  if (!isObject(item)) return opaqueEntry(item, ordinal, 'user');
  const type = readText(item['type']) || (item['role'] === undefined ? '' : 'message');
  const { role, parts } = type === 'message' ? decodeMessage(item) : decodeItem(item, type);
  return makeEntry({ wire: item, id: item['id'] }, ordinal, role, parts);
}

function decodeMessage(item: WireObject): { readonly role: Role; readonly parts: readonly Part[] } {
  const role = roles.get(item['role']);
  if (!role) return { role: 'user', parts: [opaquePart(item, [])] };
  return { role, parts: decodeContent<Part>(item['content'], ['content'], contentBlocks) };
}

/** Item types that are not known (and the programs of the provider) are opaque: the model made them. */
function decodeItem(
  item: WireObject,
  type: string,
): { readonly role: Role; readonly parts: readonly Part[] } {
  const decoder = items.get(type) ?? opaque;
  const role = item['execution'] === 'server' ? 'assistant' : decoder.role;
  return { role, parts: decoder.decode(item) ?? [opaquePart(item, [])] };
}

const encryptedNames = ['encryptedContent', 'encrypted_content'];

/** A reasoning item is refused without the item after it, and that item without its reasoning. */
function decodeReasoning(item: WireObject): readonly Part[] | undefined {
  const { content, rawContent } = item;
  if (content !== undefined && !Array.isArray(content)) return undefined;
  const text = [...textsOf(content), ...textsOf(rawContent)].join('\n\n');
  const opaqueLength = encryptedNames
    .map((name) => readText(valueAt(item, ['providerData', name])).length)
    .reduce((most, length) => Math.max(most, length), 0);
  return [{ type: 'reasoning', at: [], text, opaqueLength, binding: 'next-item' }];
}

function textsOf(blocks: unknown): string[] {
  if (!Array.isArray(blocks)) return [];
  return blocks.flatMap((block) =>
    isObject(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  );
}
