import type { Path } from '../../json/json.ts';
import { isObject } from '../../json/json.ts';
import type { MediaPart, ResultPiece, TextPart } from '../../transcript/entry.ts';
import type { DecoderTable, PartDecoder, WireObject } from '../decode-parts.ts';
import { readText } from '../decode-parts.ts';
import { base64Media, mediaAtUrl, mediaElsewhere, mediaPart } from '../media.ts';

/** Blocks of messages and of tool outputs. */
export const contentBlocks: DecoderTable<ResultPiece> = new Map<string, PartDecoder<ResultPiece>>([
  ['input_text', decodeText],
  ['output_text', decodeText],
  ['text', decodeText],
  ['refusal', ({ refusal: text }, at) => (typeof text === 'string' ? { type: 'text', at, text } : undefined)],
  ['input_image', decodeImage],
  ['computer_screenshot', decodeImage],
  ['input_file', decodeFile],
  ['input_audio', decodeAudio],
]);

function decodeText({ text }: WireObject, at: Path): TextPart | undefined {
  return typeof text === 'string' ? { type: 'text', at, text } : undefined;
}

function decodeImage({ image_url: url, file_id: id, detail }: WireObject, at: Path): MediaPart | undefined {
  if (typeof url === 'string') return mediaPart(at, { ...mediaAtUrl(url, 'image/*'), detail });
  return typeof id === 'string'
    ? mediaPart(at, { mediaType: 'image/*', bytes: mediaElsewhere, detail })
    : undefined;
}

function decodeFile(block: WireObject, at: Path): MediaPart | undefined {
  const { file_data: data, file_url: url, file_id: id, filename } = block;
  const guess = readText(filename).endsWith('.pdf') ? 'application/pdf' : 'application/octet-stream';
  if (typeof data === 'string') {
    const media = data.startsWith('data:')
      ? mediaAtUrl(data, guess)
      : { mediaType: guess, bytes: base64Media(data) };
    return mediaPart(at, { ...media, filename });
  }
  if (typeof url !== 'string' && typeof id !== 'string') return undefined;
  return mediaPart(at, { mediaType: guess, bytes: mediaElsewhere, filename });
}

function decodeAudio({ input_audio: audio }: WireObject, at: Path): MediaPart | undefined {
  if (!isObject(audio) || typeof audio['data'] !== 'string') return undefined;
  return mediaPart(at, {
    mediaType: `audio/${readText(audio['format']) || '*'}`,
    bytes: base64Media(audio['data']),
  });
}
