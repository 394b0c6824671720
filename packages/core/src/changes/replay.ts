import { fingerprintPart, fingerprintRange } from '../transcript/fingerprint.ts';
import { Log } from '../transcript/log.ts';
import { positionOf } from '../transcript/conversation.ts';
import { untouchedItem } from './view.ts';
import type { Synthetic } from '../codecs/codec.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { Change, PartAnchor, PartLevelChange, RangeAnchor, RangeChange } from './change.ts';
import type { EntryItem, SyntheticItem, View, ViewItem } from './view.ts';

export interface Replay {
  readonly view: View;
  /** Changes whose anchor is gone: the client rewound or edited its history. */
  readonly skipped: readonly Change[];
}

/** A range change with its place in this conversation. */
interface PlacedRange {
  readonly change: RangeChange;
  readonly first: number;
  readonly end: number;
}

/**
 * What follows a summary that no request of the user follows: without it some chat templates fail with "roles must
 * alternate". It asks nothing, so that the model goes on with its work.
 */
export const continueNote = '[The work goes on below, where the record above ends.]';
const noteTokens = 20;

/**
 * The history with the changes applied. Total: a change whose anchor is gone, or that would touch what the model has
 * not answered after a rewind, is skipped and reported. The same history and changes always give the same view.
 */
export function replay(conversation: Conversation, changes: readonly Change[]): Replay {
  const skipped: Change[] = [];
  const byPosition = new Map<number, PartLevelChange[]>();
  const ranges: PlacedRange[] = [];
  for (const change of changes) {
    const isPlaced = isRangeChange(change)
      ? placeRange(conversation, change, ranges)
      : placePart(conversation, change, byPosition);
    if (!isPlaced) skipped.push(change);
  }
  ranges.sort((a, b) => a.first - b.first);
  return { view: assemble(conversation, byPosition, ranges), skipped };
}

export function isRangeChange(change: Change): change is RangeChange {
  return change.type === 'range-summarised' || change.type === 'range-dropped';
}

function placePart(
  conversation: Conversation,
  change: PartLevelChange,
  byPosition: Map<number, PartLevelChange[]>,
): boolean {
  const position = findPart(conversation, change.anchor);
  if (position < 0) return false;
  const known = byPosition.get(position);
  if (known) known.push(change);
  else byPosition.set(position, [change]);
  return true;
}

function findPart(conversation: Conversation, anchor: PartAnchor): number {
  const position = positionOf(conversation, anchor.ordinal);
  const part = conversation.entries.at(position)?.parts[anchor.part];
  return part && fingerprintPart(part) === anchor.fingerprint ? position : -1;
}

function placeRange(conversation: Conversation, change: RangeChange, ranges: PlacedRange[]): boolean {
  const bounds = findRange(conversation, change.anchor);
  if (!bounds || ranges.some((range) => range.first < bounds.end && bounds.first < range.end)) return false;
  ranges.push({ change, ...bounds });
  return true;
}

function findRange(
  conversation: Conversation,
  anchor: RangeAnchor,
): { first: number; end: number } | undefined {
  const { entries, answeredEnd } = conversation;
  const first = positionOf(conversation, anchor.first);
  const last = positionOf(conversation, anchor.end - 1);
  if (first < 0 || last < 0 || last >= entries.length) return undefined;
  // After a rewind the range may reach into what the model has not answered: that is never left out.
  if (last >= answeredEnd && !anchor.kept.includes(anchor.end - 1)) return undefined;
  if (last - first !== anchor.end - 1 - anchor.first) return undefined;
  const fingerprint = fingerprintRange(rangeEntries(conversation, first, last + 1));
  return fingerprint === anchor.fingerprint ? { first, end: last + 1 } : undefined;
}

function* rangeEntries(
  conversation: Conversation,
  first: number,
  end: number,
): Generator<NonNullable<ReturnType<typeof conversation.entries.at>>> {
  for (let position = first; position < end; position += 1) {
    const entry = conversation.entries.at(position);
    if (entry) yield entry;
  }
}

function assemble(
  conversation: Conversation,
  byPosition: ReadonlyMap<number, readonly PartLevelChange[]>,
  ranges: readonly PlacedRange[],
): View {
  const items: ViewItem[] = [];
  const { length } = conversation.entries;
  let position = 0;
  for (const range of ranges) {
    for (; position < range.first; position += 1) items.push(itemAt(conversation, position, byPosition));
    items.push(...rangeItems(conversation, range, byPosition));
    position = range.end;
  }
  const tailFrom = position;
  for (; position < length; position += 1) items.push(itemAt(conversation, position, byPosition));
  const tokens = items.reduce((sum, item) => sum + item.tokens, 0);
  return { conversation, items: Log.of(items), tokens, tailFrom };
}

function itemAt(
  conversation: Conversation,
  position: number,
  byPosition: ReadonlyMap<number, readonly PartLevelChange[]>,
): EntryItem {
  const item = untouchedItem(conversation, position);
  const changes = byPosition.get(position);
  if (!changes) return item;
  const saved = changes.reduce((sum, change) => sum + change.beforeTokens - change.afterTokens, 0);
  return { ...item, changes, tokens: Math.max(0, item.tokens - saved) };
}

/** The task, what replaces the range, then the latest request and the pins, or a note where no request follows. */
function rangeItems(
  conversation: Conversation,
  { change, end }: PlacedRange,
  byPosition: ReadonlyMap<number, readonly PartLevelChange[]>,
): ViewItem[] {
  const stay = (ordinal: number): EntryItem =>
    itemAt(conversation, positionOf(conversation, ordinal), byPosition);
  const lead = change.anchor.lead.map(stay);
  const kept = change.anchor.kept.map(stay);
  const next = kept[0]?.entry ?? conversation.entries.at(end);
  const needsNote = change.injection !== 'user' && next?.role !== 'user';
  return [...lead, written(change), ...(needsNote ? [note(change)] : []), ...kept];
}

function written(change: RangeChange): SyntheticItem {
  const role = change.injection === 'user' ? 'user' : 'assistant';
  const item: Synthetic = { role, kind: 'summary', parts: [{ type: 'text', text: change.text }] };
  return { type: 'synthetic', item, change, tokens: change.afterTokens };
}

function note(change: RangeChange): SyntheticItem {
  const item: Synthetic = { role: 'user', kind: 'note', parts: [{ type: 'text', text: continueNote }] };
  return { type: 'synthetic', item, change, tokens: noteTokens };
}
