import { callInputText, jsonText } from '../transcript/entry-text.ts';
import { droppedMediaText } from '../summary/placeholder.ts';
import { partChangeBase, partsOf } from './part-change.ts';
import { partRecallId } from '../transcript/entry.ts';
import { shortenResult } from './shorten-result.ts';
import { resultText } from '../transcript/entry-text.ts';
import type { MediaPart, Part } from '../transcript/entry.ts';
import type { PartLevelChange } from '../changes/change.ts';
import type { StageInput } from './stage-input.ts';
import type { ViewItem } from '../changes/view.ts';
import type { ViewPart } from './part-change.ts';

/** What a request weighs beside its tokens. */
export interface WireSize {
  /** Bytes of the messages on the wire, estimated: text as it is, media in base64. */
  readonly bytes: number;
  readonly media: number;
}

/** Limits of a provider on the request as a whole; absent means none. */
export interface WireLimits {
  readonly maxBytes?: number;
  readonly maxMedia?: number;
}

const messageBytes = 60;
const base64Share = 4 / 3;

/** The weight of a view. One walk over all its messages: only for hosts that set a limit. */
export function wireSize(input: StageInput): WireSize {
  let bytes = 0;
  let media = 0;
  for (const item of input.view.items) {
    bytes += messageBytes + itemBytes(input, item);
    if (item.type === 'entry') for (const view of partsOf(input, item)) media += mediaOf(view).length;
  }
  return { bytes: Math.round(bytes), media };
}

export function isOverWire({ bytes, media }: WireSize, limits: WireLimits): boolean {
  return bytes > (limits.maxBytes ?? Infinity) || media > (limits.maxMedia ?? Infinity);
}

function itemBytes(input: StageInput, item: ViewItem): number {
  if (item.type === 'synthetic') return item.change.text.length;
  return partsOf(input, item).reduce((sum, view) => sum + viewBytes(view), 0);
}

function viewBytes({ part, change }: ViewPart): number {
  if (change?.type === 'reasoning-dropped') return 0;
  if (change?.type === 'arguments-cleared')
    return change.values.reduce((sum, { text }) => sum + text.length, 0);
  if (change) return change.text.length;
  return partBytes(part);
}

type PartBytes = { readonly [Type in Part['type']]: (part: Extract<Part, { type: Type }>) => number };

const partBytesOf: PartBytes = {
  text: ({ text }) => text.length,
  reasoning: ({ text, opaqueLength }) => text.length + opaqueLength,
  call: (part) => part.name.length + callInputText(part).length,
  result: ({ pieces }) => pieces.reduce((sum, piece) => sum + partBytes(piece), 0),
  media: ({ sizeBytes }) => sizeBytes * base64Share,
  opaque: ({ value }) => jsonText(value).length,
};

function partBytes<Type extends Part['type']>(part: Extract<Part, { type: Type }>): number {
  const row: (part: Extract<Part, { type: Type }>) => number = partBytesOf[part.type];
  return row(part);
}

/** The media that the view still shows of a part. */
function mediaOf({ part, change }: ViewPart): MediaPart[] {
  if (part.type === 'media') return change === undefined ? [part] : [];
  if (part.type !== 'result' || change?.type === 'result-cleared') return [];
  if (change?.type === 'result-shortened' && !change.keepMedia) return [];
  return part.pieces.filter((piece) => piece.type === 'media');
}

/** Replaces media by notes, oldest first, until the request is within the limits or none are left. */
export function stripMedia(input: StageInput, limits: WireLimits): PartLevelChange[] {
  let { bytes, media } = wireSize(input);
  const changes: PartLevelChange[] = [];
  for (const item of input.view.items) {
    if (item.type !== 'entry' || input.pins.has(item.entry.ordinal)) continue;
    for (const view of partsOf(input, item)) {
      if (!isOverWire({ bytes, media }, limits)) return changes;
      const shown = mediaOf(view);
      const change = shown.length > 0 ? withoutMedia(input, view) : undefined;
      if (!change) continue;
      changes.push(change);
      media -= shown.length;
      bytes -= shown.reduce((sum, { sizeBytes }) => sum + sizeBytes * base64Share, 0);
    }
  }
  return changes;
}

function withoutMedia(input: StageInput, view: ViewPart): PartLevelChange | undefined {
  const { part } = view;
  const recallId = partRecallId(view.item.entry.ordinal, view.index);
  if (part.type === 'media') {
    const { mediaType } = part;
    const text = droppedMediaText({
      recallId,
      mediaType,
      tokens: view.fullTokens,
      hasRecall: input.hasRecall,
    });
    return { type: 'media-dropped', text, ...partChangeBase(view, 'space', input.estimator.count(text)) };
  }
  if (part.type !== 'result') return undefined;
  const text = resultText(part);
  const note = droppedMediaText({
    recallId,
    mediaType: 'image/*',
    tokens: view.fullTokens,
    hasRecall: input.hasRecall,
  });
  const maxTokens = input.estimator.count(text) + input.estimator.count(note) + 8;
  const short = shortenResult(input, view, {
    part,
    text: `${text}\n${note}`,
    maxTokens,
    reason: 'space',
    keepMedia: false,
  });
  return short;
}
