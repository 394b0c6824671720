import type { WireEdit } from '../../json/json.ts';
import { hasMember, isObject } from '../../json/json.ts';
import type { Codec, NeutralMedia } from '../codec.ts';
import { blockInPlace, editWith } from '../edit-table.ts';
import { sourceOfData, sourceOfUrl } from '../media.ts';
import { composeRuns, neutralParts } from '../neutral-parts.ts';
import type { InputText } from '../write-items.ts';
import { inputText, itemEdits, itemRules, itemWriters } from '../write-items.ts';
import { decodeResponsesItem } from './decode.ts';
import { mendResponsesItem } from './mend.ts';

/** Items of the OpenAI Responses API: what goes in as `input` and comes back as `output`. */
export const openaiResponsesCodec: Codec = {
  name: 'openai-responses',
  rules: itemRules,
  decode: decodeResponsesItem,
  mend: mendResponsesItem,
  edit: (entry, changes) => editWith(edits, { entry, changes }),
  compose: (item) => composeRuns(item, writers),
  neutral: (entry) => neutralParts(entry, readMedia),
};

function readMedia(block: unknown): NeutralMedia['source'] | undefined {
  if (typeof block === 'string') return { type: 'base64', data: block };
  if (!isObject(block)) return undefined;
  const { image_url: image, file_data: data, file_url: url, input_audio: audio } = block;
  if (typeof image === 'string') return sourceOfUrl(image);
  if (typeof data === 'string') return sourceOfData(data);
  if (typeof url === 'string') return { type: 'url', url };
  return isObject(audio) && typeof audio['data'] === 'string'
    ? { type: 'base64', data: audio['data'] }
    : undefined;
}

/** The part of the Responses format that this codec writes. It reads more; see `decode.ts`. */
export type ResponsesItem =
  | { type: 'message'; role: 'user' | 'assistant' | 'system'; content: string | InputBlock[] }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string | InputBlock[] };

type InputBlock = InputText | InputMedia;

type InputMedia =
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; file_url: string }
  | { type: 'input_file'; file_data: string; filename: string };

const writers = itemWriters<ResponsesItem, InputMedia>({
  message: (role, content) => ({ type: 'message', role, content }),
  answer: (text) => ({ type: 'message', role: 'assistant', content: text }),
  call: (callId, name, args) => ({ type: 'function_call', call_id: callId, name, arguments: args }),
  result: ({ callId }, output) => ({ type: 'function_call_output', call_id: callId, output }),
  image: (url) => ({ type: 'input_image', image_url: url, detail: 'auto' }),
  file: ({ source, filename = 'file' }, url) =>
    source.type === 'url'
      ? { type: 'input_file', file_url: url }
      : { type: 'input_file', file_data: url, filename },
  noReasoning: 'only encrypted reasoning is accepted',
});

const edits = itemEdits({
  outputs:
    'function_call_output custom_tool_call_output local_shell_call_output apply_patch_call_output mcp_call'.split(
      ' ',
    ),
  renameCall,
  // Only lists of content blocks can hold a text in the place of media.
  replaceMedia: ({ part, text }, { entry }) =>
    typeof part.at.at(-1) === 'number' ? [blockInPlace(entry.wire, part.at, inputText(text))] : [],
});

/** The output of a local shell names its call by its own id; items that are call and result at once need no pairing. */
function renameCall(wire: unknown, callId: string): readonly WireEdit[] {
  const type = isObject(wire) ? wire['type'] : undefined;
  if (hasMember(wire, 'call_id') || pairedItems.includes(type)) return [{ at: ['call_id'], set: callId }];
  return type === 'local_shell_call_output' ? [{ at: ['id'], set: callId }] : [];
}

/** What pairs by an id of its own even where it lacks one. */
const pairedItems: readonly unknown[] =
  'function_call function_call_output custom_tool_call custom_tool_call_output'.split(' ');
