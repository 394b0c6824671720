import { isObject } from '../../json/json.ts';
import type { Codec, NeutralMedia, WireRules } from '../codec.ts';
import { sourceOfUrl } from '../media.ts';
import { neutralParts } from '../neutral-parts.ts';
import { composeAnthropic } from './compose.ts';
import { decodeAnthropic } from './decode.ts';
import { editAnthropic } from './edit.ts';
import { mendAnthropic } from './mend.ts';

const rules: WireRules = {
  resultsIn: 'user-message',
  entriesPerResponse: 'one',
  firstIsUser: true,
  allowsConsecutiveRoles: true,
  systemMessages: 'outside',
  uniqueCallIds: true,
  resultsAdjacent: true,
  mediaIn: { user: true, assistant: false, result: true },
  callIdPattern: /^[a-zA-Z0-9_-]+$/,
  resultsFirst: true,
  trimsLastAnswer: true,
};

/** Anthropic Messages. */
export const anthropicCodec: Codec = {
  name: 'anthropic',
  rules,
  decode: decodeAnthropic,
  mend: mendAnthropic,
  edit: editAnthropic,
  compose: composeAnthropic,
  neutral: (entry) => neutralParts(entry, readMedia),
};

function readMedia(block: unknown): NeutralMedia['source'] | undefined {
  const source = isObject(block) ? block['source'] : undefined;
  if (!isObject(source)) return undefined;
  if (typeof source['data'] === 'string') return { type: 'base64', data: source['data'] };
  return typeof source['url'] === 'string' ? sourceOfUrl(source['url']) : undefined;
}
