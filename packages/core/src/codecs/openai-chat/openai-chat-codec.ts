import { isObject } from '../../json/json.ts';
import type { Codec, NeutralMedia, WireRules } from '../codec.ts';
import { sourceOfUrl } from '../media.ts';
import { neutralParts } from '../neutral-parts.ts';
import { composeOpenaiChat } from './compose.ts';
import { decodeOpenaiChat } from './decode.ts';
import { editOpenaiChat } from './edit.ts';
import { mendOpenaiChat } from './mend.ts';

const rules: WireRules = {
  resultsIn: 'tool-message',
  entriesPerResponse: 'one',
  firstIsUser: false,
  allowsConsecutiveRoles: true,
  systemMessages: 'anywhere',
  uniqueCallIds: false,
  resultsAdjacent: true,
  mediaIn: { user: true, assistant: false, result: false },
  resultsFirst: false,
};

/** OpenAI Chat Completions messages, and what compatible servers add to them. */
export const openaiChatCodec: Codec = {
  name: 'openai-chat',
  rules,
  decode: decodeOpenaiChat,
  mend: mendOpenaiChat,
  edit: editOpenaiChat,
  compose: composeOpenaiChat,
  neutral: (entry) => neutralParts(entry, readMedia),
};

function readMedia(block: unknown): NeutralMedia['source'] | undefined {
  if (!isObject(block)) return undefined;
  const { input_audio: audio, file } = block;
  if (isObject(audio) && typeof audio['data'] === 'string') return { type: 'base64', data: audio['data'] };
  if (isObject(file)) return typeof file['file_data'] === 'string' ? readData(file['file_data']) : undefined;
  const place = block['image_url'] ?? block['video_url'];
  const url = isObject(place) ? place['url'] : place;
  return typeof url === 'string' ? sourceOfUrl(url) : undefined;
}

function readData(data: string): NeutralMedia['source'] {
  return data.startsWith('data:') ? sourceOfUrl(data) : { type: 'base64', data };
}
