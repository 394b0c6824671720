import { isObject } from '../../json/json.ts';
import type { Codec, NeutralMedia, WireRules } from '../codec.ts';
import { sourceOfUrl, toBase64 } from '../media.ts';
import { neutralParts } from '../neutral-parts.ts';
import { composeAgents } from './compose.ts';
import { directValue, isBytes, isUrl, mediaValue } from './content-blocks.ts';
import { decodeAgentsItem } from './decode.ts';
import { editAgentsItem } from './edit.ts';
import { mendAgentsItem } from './mend.ts';

const rules: WireRules = {
  resultsIn: 'item',
  entriesPerResponse: 'many',
  firstIsUser: false,
  allowsConsecutiveRoles: true,
  systemMessages: 'anywhere',
  // Results find their call by id over the whole input.
  uniqueCallIds: true,
  resultsAdjacent: false,
  mediaIn: { user: true, assistant: true, result: true },
  // What the Responses API, for which the SDK is made, accepts.
  callIdPattern: /^[^]{1,64}$/,
  resultsFirst: false,
};

/** Items of the OpenAI Agents SDK: what runs, sessions and models exchange. */
export const openaiAgentsCodec: Codec = {
  name: 'openai-agents',
  rules,
  decode: decodeAgentsItem,
  mend: mendAgentsItem,
  edit: editAgentsItem,
  compose: composeAgents,
  neutral: (entry) => neutralParts(entry, readMedia),
};

function readMedia(block: unknown): NeutralMedia['source'] | undefined {
  const value = isObject(block) ? directValue(mediaValue(block)) : block;
  if (typeof value === 'string') return isUrl(value) ? sourceOfUrl(value) : { type: 'base64', data: value };
  if (!isBytes(value)) return undefined;
  return {
    type: 'base64',
    // Bytes that were handed on to somebody else are none any more.
    data:
      value.byteLength === 0
        ? ''
        : toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)),
  };
}
