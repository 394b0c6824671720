import { isObject } from '../../json/json.ts';
import type { Codec, NeutralMedia, WireRules } from '../codec.ts';
import { neutralParts } from '../neutral-parts.ts';
import { composeAiSdk } from './compose.ts';
import { decodeAiSdk } from './decode.ts';
import { editAiSdk } from './edit.ts';
import { mendAiSdk } from './mend.ts';
import { neutralFileData } from './file-data.ts';

const rules: WireRules = {
  resultsIn: 'tool-message',
  entriesPerResponse: 'one',
  firstIsUser: false,
  allowsConsecutiveRoles: true,
  systemMessages: 'leading',
  uniqueCallIds: false,
  resultsAdjacent: true,
  mediaIn: { user: true, assistant: true, result: true },
  resultsFirst: false,
};

/** The AI SDK's `ModelMessage`, versions 5 to 7 (and what version 4 left in stores). */
export const aiSdkCodec: Codec = {
  name: 'ai-sdk',
  rules,
  decode: decodeAiSdk,
  mend: mendAiSdk,
  edit: editAiSdk,
  compose: composeAiSdk,
  neutral: (entry) => neutralParts(entry, readMedia),
};

function readMedia(part: unknown): NeutralMedia['source'] | undefined {
  if (!isObject(part)) return undefined;
  return neutralFileData(part['image'] ?? part['data'] ?? part['url']);
}
