import { droppedMediaText } from '../summary/placeholder.ts';
import type { StageInput, ViewPart } from './stage-input.ts';
import { editableItems, partChangeBase, partsOf } from './stage-input.ts';
import type { CallPart, MediaPart, Part } from '../transcript/entry.ts';
import { callInputText, callInputValue, jsonText, resultText } from '../transcript/entry-text.ts';
import { remembered } from '../transcript/memory.ts';
import type { PartLevelChange } from '../changes/change.ts';
import type { View, ViewItem } from '../changes/view.ts';
import { placesFrom, valueAt } from '../json/json.ts';
import type { Path } from '../json/json.ts';

/** What a request weighs beside its tokens. */
interface WireSize {
  /** Bytes of the messages on the wire in UTF-8, estimated: text as JSON, media in base64. */
  readonly bytes: number;
  readonly media: number;
}

/** Limits of a provider on the request as a whole; absent means none. */
export interface WireLimits {
  readonly maxBytes?: number;
  readonly maxMedia?: number;
}

/** What a request weighs, and what the provider takes at most. */
export type WireExcess = WireSize & WireLimits;

const messageBytes = 60;
/** What stays of a result beside its text when its media go. */
const frameTokens = 8;

/** The weight of a view. One walk over all its messages, once for each view: only for hosts that set a limit. */
export const wireSize = remembered((view: View): WireSize => {
  let bytes = 0;
  let media = 0;
  for (const item of view.items) {
    bytes += messageBytes + itemBytes(view, item);
    if (item.type === 'entry') for (const part of partsOf({ view }, item)) media += mediaOf(part).length;
  }
  return { bytes: Math.round(bytes), media };
});

export function isOverWire({ bytes, media }: WireSize, limits: WireLimits): boolean {
  return bytes > (limits.maxBytes ?? Infinity) || media > (limits.maxMedia ?? Infinity);
}

function itemBytes(view: View, item: ViewItem): number {
  if (item.type === 'entry')
    return partsOf({ view }, item).reduce((sum, { part, change }) => sum + partBytes(part, change), 0);
  return item.item.parts.reduce((sum, part) => sum + (part.type === 'text' ? stringBytes(part.text) : 0), 0);
}

/** The images and files that a view shows. */
export function mediaShown(view: View): readonly MediaPart[] {
  return [...view.items].flatMap((item) =>
    item.type === 'entry' ? partsOf({ view }, item).flatMap(mediaOf) : [],
  );
}

/** The media that the view still shows of a part. */
function mediaOf({ part, change }: ViewPart): MediaPart[] {
  if (change === undefined || (change.type === 'result-truncated' && change.keepMedia)) return mediaIn(part);
  return [];
}

/**
 * Replaces media by notes, oldest first, until the request is within the limits or none are left that may go: however
 * small they are, and also those in results that were truncated before.
 */
export function stripMedia(input: StageInput, limits: WireLimits): PartLevelChange[] {
  let { bytes, media } = wireSize(input.view);
  const changes: PartLevelChange[] = [];
  for (const item of editableItems(input)) {
    for (const view of partsOf(input, item)) {
      if (!isOverWire({ bytes, media }, limits)) return changes;
      const shown = mediaOf(view);
      const change = shown.length > 0 ? withoutMedia(input, view, shown) : undefined;
      if (!change) continue;
      changes.push(change);
      media -= shown.length;
      bytes += partBytes(view.part, change) - partBytes(view.part, view.change);
    }
  }
  return changes;
}

function withoutMedia(
  { estimator, hasRecall }: StageInput,
  view: ViewPart,
  shown: readonly MediaPart[],
): PartLevelChange | undefined {
  const { part, change, recallId } = view;
  const mediaType = shown[0]?.mediaType ?? 'image/*';
  const note = droppedMediaText({ recallId, mediaType, tokens: view.tokens, hasRecall });
  if (part.type === 'media')
    return { type: 'media-dropped', text: note, ...partChangeBase(view, 'space', estimator.count(note)) };
  if (part.type !== 'result') return undefined;
  const words = change?.type === 'result-truncated' ? change.text : resultText(part);
  const text = words === '' ? note : `${words}\n${note}`;
  const afterTokens = estimator.count(text) + frameTokens;
  return { type: 'result-truncated', text, keepMedia: false, ...partChangeBase(view, 'space', afterTokens) };
}

/** What a part costs beside its content: its type, ids and brackets. */
const frameBytes = 40;
const base64Share = 4 / 3;

/** Bytes of a part on the wire as a request would carry it, with the change that is in force on it. Estimated. */
function partBytes(part: Part, change?: PartLevelChange): number {
  if (!change) return bytesOf(part);
  if (change.type === 'reasoning-dropped') return 0;
  if (change.type === 'arguments-pruned') return part.type === 'call' ? prunedBytes(part, change) : 0;
  const kept = change.type === 'result-truncated' && change.keepMedia ? mediaIn(part) : [];
  return frameBytes + stringBytes(change.text) + kept.reduce((sum, piece) => sum + bytesOf(piece), 0);
}

/** The media of a part: its own, or those in a result. */
function mediaIn(part: Part): MediaPart[] {
  if (part.type === 'media') return [part];
  return part.type === 'result' ? part.pieces.filter((piece) => piece.type === 'media') : [];
}

/** `\b`, `\t`, `\n`, `\f` and `\r`; every other control character is written as `\u00..`. */
const shortEscapes: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);

/** Bytes of a text as a JSON string in UTF-8, without its quotes. */
export function stringBytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22 || code === 0x5c) bytes += 2;
    else if (code < 0x20) bytes += shortEscapes.has(code) ? 2 : 6;
    else if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    // Both halves of a pair together are four bytes.
    else bytes += code >= 0xd800 && code <= 0xdfff ? 2 : 3;
  }
  return bytes;
}

/** Texts are gone through once, whatever the number of requests they are sent in. */
const bytesOf: (part: Part) => number = remembered((part: Part) => frameBytes + contentBytes(part));

type ContentBytes = { readonly [Type in Part['type']]: (part: Extract<Part, { type: Type }>) => number };

const contentBytesOf: ContentBytes = {
  text: ({ text }) => stringBytes(text),
  reasoning: ({ text, opaqueLength }) => stringBytes(text) + opaqueLength,
  // Arguments that travel as JSON text are a string in a string.
  call: (part) => stringBytes(part.name) + inputBytes(part, callInputText(part)),
  result: ({ pieces }) => pieces.reduce((sum, piece) => sum + bytesOf(piece), 0),
  media: ({ sizeBytes }) => sizeBytes * base64Share,
  opaque: ({ value }) => stringBytes(jsonText(value)),
};

function contentBytes<Type extends Part['type']>(part: Extract<Part, { type: Type }>): number {
  const row: (part: Extract<Part, { type: Type }>) => number = contentBytesOf[part.type];
  return row(part);
}

function inputBytes({ input }: CallPart, text: string): number {
  return input.type === 'text' ? stringBytes(text) : rawBytes(text);
}

/** Bytes of a text that is part of the JSON itself. */
function rawBytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

function prunedBytes(
  part: CallPart,
  { values }: Extract<PartLevelChange, { type: 'arguments-pruned' }>,
): number {
  const input = callInputValue(part);
  return values.reduce((sum, { at, text, more = 0 }) => {
    const replaced = placesFrom(input, at, more).map((place) => placeBytes(place, valueAt(input, place)));
    return sum - replaced.reduce((all, bytes) => all + bytes, 0) + stringBytes(text);
  }, bytesOf(part));
}

/** A string is replaced between its quotes; of what goes as a whole the name and the brackets go, too. */
function placeBytes(at: Path, value: unknown): number {
  if (typeof value === 'string') return stringBytes(value);
  const name = at.at(-1);
  return rawBytes(jsonText(value)) + (typeof name === 'string' ? stringBytes(name) : 0);
}
