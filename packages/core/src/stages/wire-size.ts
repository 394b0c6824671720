import { droppedMediaText } from '../summary/placeholder.ts';
import { editableItems } from './editable-items.ts';
import { mediaIn, partBytes, stringBytes } from './wire-bytes.ts';
import { partChangeBase, partsOf } from './part-change.ts';
import { partRecallId } from '../transcript/entry.ts';
import { resultText } from '../transcript/entry-text.ts';
import type { MediaPart } from '../transcript/entry.ts';
import type { PartLevelChange } from '../changes/change.ts';
import type { StageInput } from './stage-input.ts';
import type { ViewItem } from '../changes/view.ts';
import type { ViewPart } from './part-change.ts';

/** What a request weighs beside its tokens. */
export interface WireSize {
  /** Bytes of the messages on the wire in UTF-8, estimated: text as JSON, media in base64. */
  readonly bytes: number;
  readonly media: number;
}

/** Limits of a provider on the request as a whole; absent means none. */
export interface WireLimits {
  readonly maxBytes?: number;
  readonly maxMedia?: number;
}

const messageBytes = 60;
/** What stays of a result beside its text when its media go. */
const frameTokens = 8;

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
  if (item.type === 'entry')
    return partsOf(input, item).reduce((sum, { part, change }) => sum + partBytes(part, change), 0);
  return item.item.parts.reduce((sum, part) => sum + (part.type === 'text' ? stringBytes(part.text) : 0), 0);
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
  let { bytes, media } = wireSize(input);
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
  const { part, change, item, index } = view;
  const recallId = partRecallId(item.entry.ordinal, index);
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
