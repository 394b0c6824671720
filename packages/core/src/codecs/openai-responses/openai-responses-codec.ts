import { isObject } from '../../json/json.ts';
import type { Codec, NeutralMedia, WireRules } from '../codec.ts';
import { sourceOfUrl } from '../media.ts';
import { neutralParts } from '../neutral-parts.ts';
import { composeResponses } from './compose.ts';
import { decodeResponsesItem } from './decode.ts';
import { editResponsesItem } from './edit.ts';
import { mendResponsesItem } from './mend.ts';

const rules: WireRules = {
  resultsIn: 'item',
  entriesPerResponse: 'many',
  firstIsUser: false,
  allowsConsecutiveRoles: true,
  systemMessages: 'anywhere',
  // Outputs find their call by id over the whole input.
  uniqueCallIds: true,
  resultsAdjacent: false,
  mediaIn: { user: true, assistant: false, result: true },
  callIdPattern: /^[^]{1,64}$/,
  resultsFirst: false,
};

/** Items of the OpenAI Responses API: what goes in as `input` and comes back as `output`. */
export const openaiResponsesCodec: Codec = {
  name: 'openai-responses',
  rules,
  decode: decodeResponsesItem,
  mend: mendResponsesItem,
  edit: editResponsesItem,
  compose: composeResponses,
  neutral: (entry) => neutralParts(entry, readMedia),
};

function readMedia(block: unknown): NeutralMedia['source'] | undefined {
  if (typeof block === 'string') return { type: 'base64', data: block };
  if (!isObject(block)) return undefined;
  const { image_url: image, file_data: data, file_url: url, input_audio: audio } = block;
  if (typeof image === 'string') return sourceOfUrl(image);
  if (typeof data === 'string')
    return data.startsWith('data:') ? sourceOfUrl(data) : { type: 'base64', data };
  if (typeof url === 'string') return { type: 'url', url };
  return isObject(audio) && typeof audio['data'] === 'string'
    ? { type: 'base64', data: audio['data'] }
    : undefined;
}
