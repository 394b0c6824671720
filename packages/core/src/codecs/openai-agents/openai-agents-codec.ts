import type { WireEdit } from '../../json/json.ts';
import { hasMember, isObject } from '../../json/json.ts';
import type { Codec, NeutralMedia } from '../codec.ts';
import type { ChangeOfType, EditContext } from '../edit-table.ts';
import { blockInPlace, editWith } from '../edit-table.ts';
import { isUrl, sourceOfUrl, toBase64 } from '../media.ts';
import { composeRuns, neutralParts } from '../neutral-parts.ts';
import type { InputText } from '../write-items.ts';
import { inputText, itemEdits, itemRules, itemWriters } from '../write-items.ts';
import { decodeAgentsItem, directValue, isBytes, mediaValue } from './decode.ts';
import { mendAgentsItem } from './mend.ts';

/** Items of the OpenAI Agents SDK: what runs, sessions and models exchange. */
export const openaiAgentsCodec: Codec = {
  name: 'openai-agents',
  rules: { ...itemRules, mediaIn: { user: true, assistant: true, result: true } },
  decode: decodeAgentsItem,
  mend: mendAgentsItem,
  edit: (entry, changes) => editWith(edits, { entry, changes }),
  compose: (item) => composeRuns(item, writers),
  neutral: (entry) => neutralParts(entry, readMedia),
};

function readMedia(block: unknown): NeutralMedia['source'] | undefined {
  const value = isObject(block) ? directValue(mediaValue(block)) : block;
  if (typeof value === 'string') return isUrl(value) ? sourceOfUrl(value) : { type: 'base64', data: value };
  if (!isBytes(value)) return undefined;
  return {
    type: 'base64',
    data: toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)),
  };
}

/** The part of the OpenAI Agents SDK's items that this codec writes. It reads more; see `decode.ts`. */
export type AgentsItem =
  | { type: 'message'; role: 'user'; content: string | AgentsBlock[] }
  | { type: 'message'; role: 'system'; content: string }
  | { type: 'message'; role: 'assistant'; status: 'completed'; content: AgentsOutputText[] }
  | { type: 'function_call'; callId: string; name: string; arguments: string; status: 'completed' }
  | {
      type: 'function_call_result';
      callId: string;
      name: string;
      status: 'completed';
      output: string | AgentsBlock[];
    };

interface AgentsOutputText {
  type: 'output_text';
  text: string;
}

type AgentsBlock = InputText | AgentsMedia;

type AgentsMedia =
  | { type: 'input_image'; image: string; detail: 'auto' }
  | { type: 'input_file'; file: string | { url: string }; filename?: string };

const writers = itemWriters<AgentsItem, AgentsMedia>({
  message: (_role, content) => ({ type: 'message', role: 'user', content }),
  system: (text) => ({ type: 'message', role: 'system', content: text }),
  answer: (text) => ({
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text }],
  }),
  call: (callId, name, args) => ({
    type: 'function_call',
    callId,
    name,
    arguments: args,
    status: 'completed',
  }),
  result: ({ callId, name }, output) => ({
    type: 'function_call_result',
    callId,
    name,
    status: 'completed',
    output,
  }),
  image: (url) => ({ type: 'input_image', image: url, detail: 'auto' }),
  file: ({ source, filename }, url) => ({
    type: 'input_file',
    file: source.type === 'url' ? { url } : url,
    ...(filename === undefined ? {} : { filename }),
  }),
  noReasoning: 'only reasoning of the provider is accepted',
});

const edits = itemEdits({
  outputs: ['function_call_result', 'apply_patch_call_output'],
  renameCall,
  replaceMedia,
});

/** Items that are call and result at once have no id to pair by. */
function renameCall(wire: unknown, callId: string): readonly WireEdit[] {
  const key = ['callId', 'call_id'].find((name) => hasMember(wire, name));
  return key === undefined ? [] : [{ at: [key], set: callId }];
}

/** Messages of an assistant and single blocks have text blocks of other names; a screenshot must stay one. */
function replaceMedia(change: ChangeOfType<'replace-media'>, { entry }: EditContext): readonly WireEdit[] {
  const { part, text } = change;
  const { wire } = entry;
  if (isObject(wire) && wire['type'] === 'computer_call_result') return [];
  if (part.at.length === 1) return [{ at: part.at, set: text }];
  const isSaid = isObject(wire) && wire['role'] === 'assistant';
  return [blockInPlace(wire, part.at, isSaid ? { type: 'output_text', text } : inputText(text))];
}
