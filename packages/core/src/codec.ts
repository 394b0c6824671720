// For people who write a codec, and for what reads decoded messages: docs/guides/writing-a-codec.md.
export { editObject } from './json/edit-object.ts';
export { editText } from './json/edit-object.ts';
export { isObject, valueAt } from './json/json.ts';
export type { Json, Path, WireEdit } from './json/json.ts';
export type {
  Binding,
  CallId,
  CallInput,
  CallPart,
  Entry,
  EntryId,
  MediaPart,
  OpaquePart,
  Part,
  ReasoningPart,
  ResultPart,
  ResultPiece,
  Role,
  TextPart,
} from './transcript/entry.ts';
export { callInputText, callInputValue, jsonText } from './transcript/entry-text.ts';
export type {
  ArgumentText,
  Codec,
  CodecName,
  Composed,
  Loss,
  NeutralContent,
  NeutralMedia,
  NeutralPart,
  PartChange,
  Synthetic,
  WireRules,
} from './codecs/codec.ts';
export type { SessionMessage } from './codecs/session/session-message.ts';
export {
  blockInPlace,
  editArguments,
  editResult,
  editTextPart,
  editWith,
  removeAt,
} from './codecs/edit-table.ts';
export type { EditTable } from './codecs/edit-table.ts';
export {
  decodeContent,
  decodePieces,
  makeEntry,
  opaqueEntry,
  opaquePart,
  readCallId,
} from './codecs/decode-parts.ts';
export type { DecoderTable } from './codecs/decode-parts.ts';
export { base64Media, mediaAtUrl, mediaPart, sourceOfUrl } from './codecs/media.ts';
export { argumentsText, neutralParts, runsOf } from './codecs/neutral-parts.ts';
export { checkCodec } from './contract/check-codec.ts';
export type { CheckCodecOptions, CodecFault, CodecLaw } from './contract/check-codec.ts';
export { withoutFields } from './codecs/without-fields.ts';
export type { Mending } from './codecs/mending.ts';
