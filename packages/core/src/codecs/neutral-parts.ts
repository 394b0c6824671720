import { valueAt } from '../json/json.ts';
import { writeJson } from '../json/write-json.ts';
import type { CallInput, Entry, MediaPart, Part, ResultPart } from '../transcript/entry.ts';
import type { NeutralContent, NeutralMedia, NeutralPart } from './codec.ts';

/** Reads the data of a media part out of its wire block; `undefined` when the message holds neither data nor URL. */
export type MediaReader = (block: unknown, part: MediaPart) => NeutralMedia['source'] | undefined;

type Readers = {
  readonly [Type in Part['type']]: (
    part: Extract<Part, { type: Type }>,
    read: ReadMedia,
  ) => readonly NeutralPart[];
};
type ReadMedia = (part: MediaPart) => NeutralContent;

const readers: Readers = {
  text: ({ text }) => [{ type: 'text', text }],
  reasoning: ({ text }) => (text === '' ? [] : [{ type: 'reasoning', text }]),
  call: ({ callId, name, input }) => [{ type: 'call', callId, name, input: neutralInput(input) }],
  result: (part, read) => [neutralResult(part, read)],
  media: (part, read) => [read(part)],
  opaque: () => [],
};

/**
 * The neutral content of an entry. Opaque parts and encrypted reasoning have none; media of which the message holds
 * only a foreign reference becomes a text that names it.
 */
export function neutralParts(entry: Entry, readMedia: MediaReader): readonly NeutralPart[] {
  const read: ReadMedia = (part) => {
    const source = readMedia(valueAt(entry.wire, part.at), part);
    const { mediaType, filename } = part;
    if (!source) return { type: 'text', text: mediaStub(part) };
    return { type: 'media', mediaType, source, ...(filename !== undefined && { filename }) };
  };
  return entry.parts.flatMap((part) => neutralPart(part, read));
}

function neutralPart<Type extends Part['type']>(
  part: Extract<Part, { type: Type }>,
  read: ReadMedia,
): readonly NeutralPart[] {
  const reader = readers[part.type] as (
    part: Extract<Part, { type: Type }>,
    read: ReadMedia,
  ) => readonly NeutralPart[];
  return reader(part, read);
}

function neutralInput(input: CallInput): unknown {
  if (input.type === 'value') return input.value;
  try {
    return JSON.parse(input.text);
  } catch {
    return input.text;
  }
}

function neutralResult(part: ResultPart, read: ReadMedia): NeutralPart {
  const content = part.pieces.map((piece): NeutralContent => {
    if (piece.type === 'media') return read(piece);
    return { type: 'text', text: piece.type === 'text' ? piece.text : jsonText(piece.value) };
  });
  return { type: 'result', callId: part.callId, name: part.name ?? '', content, isError: part.isError };
}

/** JSON text of a value that another format has no block for; of one that is not JSON, what it is. */
export function jsonText(value: unknown): string {
  try {
    return value === undefined ? '' : writeJson(value);
  } catch {
    return `[${typeof value}]`;
  }
}

/** What stands in the place of media that cannot be said. */
export function mediaStub({
  mediaType,
  filename,
}: {
  readonly mediaType: string;
  readonly filename?: string;
}): string {
  return filename === undefined ? `[${mediaType}]` : `[${mediaType}: ${filename}]`;
}
