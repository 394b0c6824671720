import { isObject } from '../../json/json.ts';
import type { Entry, Part, Role } from '../../transcript/entry.ts';
import type { WireObject } from '../decode-parts.ts';
import { decodeContent, makeEntry, opaqueEntry, opaquePart, readText } from '../decode-parts.ts';
import { contentBlocks } from './content-blocks.ts';
import { decodeCallItem } from './decode-call.ts';
import { decodeOutputItem } from './decode-output.ts';
import { decodeServerItem } from './decode-server-item.ts';

/** Parts of one item type, and who produced it. `undefined` when the item cannot be read. */
interface ItemDecoder {
  readonly role: Role;
  readonly decode: (item: WireObject) => readonly Part[] | undefined;
}

const barrier: ItemDecoder = {
  role: 'assistant',
  decode: (item) => [{ ...opaquePart(item, []), isBarrier: true }],
};
const opaqueFrom = (role: Role): ItemDecoder => ({ role, decode: () => undefined });
const call: ItemDecoder = { role: 'assistant', decode: decodeCallItem };
const output: ItemDecoder = { role: 'tool', decode: decodeOutputItem };
const server: ItemDecoder = { role: 'assistant', decode: decodeServerItem };

const items: ReadonlyMap<string, ItemDecoder> = new Map([
  ['reasoning', { role: 'assistant', decode: decodeReasoning }],
  ['function_call', call],
  ['custom_tool_call', call],
  ['local_shell_call', call],
  ['shell_call', call],
  ['apply_patch_call', call],
  ['computer_call', call],
  ['tool_search_call', call],
  ['function_call_output', output],
  ['custom_tool_call_output', output],
  ['local_shell_call_output', output],
  ['shell_call_output', output],
  ['apply_patch_call_output', output],
  ['computer_call_output', output],
  ['tool_search_output', output],
  ['web_search_call', server],
  ['file_search_call', server],
  ['code_interpreter_call', server],
  ['image_generation_call', server],
  ['mcp_call', server],
  ['compaction', barrier],
  ['compaction_summary', barrier],
  ['context_compaction', barrier],
  ['mcp_approval_response', opaqueFrom('tool')],
  ['program_output', opaqueFrom('assistant')],
  ['additional_tools', opaqueFrom('system')],
  ['configuration_update', opaqueFrom('system')],
  ['compaction_trigger', opaqueFrom('system')],
] satisfies [string, ItemDecoder][]);

const messageRoles: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
  ['developer', 'system'],
]);

export function decodeResponsesItem(item: unknown, ordinal: number): Entry {
  if (!isObject(item)) return opaqueEntry(item, ordinal, 'user');
  const type = readText(item['type']) || (item['role'] === undefined ? '' : 'message');
  const { role, parts } = type === 'message' ? decodeMessage(item) : decodeItem(item, type);
  return makeEntry({ wire: item, id: item['id'] }, ordinal, role, parts);
}

function decodeMessage(item: WireObject): { readonly role: Role; readonly parts: readonly Part[] } {
  const role = messageRoles.get(item['role']);
  if (!role) return { role: 'user', parts: [opaquePart(item, [])] };
  return { role, parts: decodeContent<Part>(item['content'], ['content'], contentBlocks) };
}

/** Item types that are not known are opaque; what is called an output answers something, the rest the model made. */
function decodeItem(
  item: WireObject,
  type: string,
): { readonly role: Role; readonly parts: readonly Part[] } {
  const decoder = items.get(type) ?? opaqueFrom(type.endsWith('_output') ? 'tool' : 'assistant');
  const role = item['execution'] === 'server' ? 'assistant' : decoder.role;
  return { role, parts: decoder.decode(item) ?? [opaquePart(item, [])] };
}

/** A reasoning item is refused without the item after it, and that item without its reasoning. */
function decodeReasoning(item: WireObject): readonly Part[] | undefined {
  const { summary, content, encrypted_content: encrypted } = item;
  if (summary !== undefined && !Array.isArray(summary)) return undefined;
  const text = [...textsOf(summary), ...textsOf(content)].join('\n\n');
  const opaqueLength = readText(encrypted).length;
  return [{ type: 'reasoning', at: [], text, opaqueLength, binding: 'next-item' }];
}

function textsOf(blocks: unknown): string[] {
  if (!Array.isArray(blocks)) return [];
  return blocks.flatMap((block) =>
    isObject(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  );
}
