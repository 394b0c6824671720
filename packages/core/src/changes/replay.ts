import { inWholeSteps } from '../tokens/measure-entry.ts';
import { positionOf } from '../transcript/conversation.ts';
import { createMemory } from '../transcript/memory.ts';
import { endOf, isUnloaded } from '../transcript/entry.ts';
import { fingerprintPart } from '../transcript/fingerprint.ts';
import { hasRangeId } from './range-id.ts';
import { changedItem, isHidden, untouchedItem, viewOf } from './view.ts';
import { isRangeChange } from './change.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { Entry } from '../transcript/entry.ts';
import type { EntryItem, SyntheticItem, View, ViewItem } from './view.ts';
import type { Injection, RangeAnchor, RangeChange, Change, PartLevelChange } from './change.ts';
import type { PersistentArray } from '../transcript/persistent-array.ts';
import type { Synthetic } from '../codecs/codec.ts';

interface Replay {
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
 * The history with the changes applied. Total: a change whose anchor is gone, or that would touch what the model has
 * not answered after a rewind, is skipped and reported. The same history and changes always give the same view. A range
 * of which not all messages were loaded is where it was; see `unloadedRanges` of the conversation.
 *
 * @throws {ContextError} `not-loaded` when the view would show messages that were not loaded.
 */
export function replay(conversation: Conversation, changes: readonly Change[]): Replay {
  const skipped: Change[] = [];
  const placed: Change[] = [];
  const byPosition = new Map<number, PartLevelChange[]>();
  const ranges: PlacedRange[] = [];
  for (const change of changes) {
    const isPlaced = isRangeChange(change)
      ? placeRange(conversation, change, ranges)
      : placePart(conversation, change, byPosition);
    (isPlaced ? placed : skipped).push(change);
  }
  rememberPlaces(placed, conversation.entries);
  ranges.sort((a, b) => a.first - b.first);
  return { view: assemble(conversation, byPosition, ranges), skipped };
}

function placePart(
  conversation: Conversation,
  change: PartLevelChange,
  byPosition: Map<number, PartLevelChange[]>,
): boolean {
  const position = findPart(conversation, change);
  if (position < 0) return false;
  const known = byPosition.get(position);
  if (known) known.push(change);
  else byPosition.set(position, [change]);
  return true;
}

function findPart(conversation: Conversation, change: PartLevelChange): number {
  const { anchor } = change;
  const position = positionOf(conversation, anchor.ordinal);
  if (isKnownPlace(change, conversation.entries)) return position;
  const entry = conversation.entries.at(position);
  if (!entry) return -1;
  // A message that was not loaded cannot be compared: its change stands.
  return isUnloaded(entry) || fingerprintPart(entry, anchor.part) === anchor.fingerprint ? position : -1;
}

function placeRange(conversation: Conversation, change: RangeChange, ranges: PlacedRange[]): boolean {
  const bounds = findRange(conversation, change);
  if (!bounds || ranges.some((range) => range.first < bounds.end && bounds.first < range.end)) return false;
  ranges.push({ change, ...bounds });
  return true;
}

function findRange(
  conversation: Conversation,
  change: RangeChange,
): { first: number; end: number } | undefined {
  const { anchor } = change;
  const { entries, answeredEnd } = conversation;
  const first = positionOf(conversation, anchor.first);
  const last = positionOf(conversation, anchor.end - 1);
  const [from, to] = [entries.at(first), entries.at(last)];
  // A border inside what was not loaded is that of another range.
  if (from?.ordinal !== anchor.first || !to || endOf(to) !== anchor.end || last < first) return undefined;
  // After a rewind the range may reach into what the model has not answered: that is never left out.
  if (last >= answeredEnd && !anchor.kept.includes(anchor.end - 1)) return undefined;
  const isThere = isKnownPlace(change, entries) || hasRangeId(conversation, anchor);
  return isThere && areLoaded(conversation, anchor) ? { first, end: last + 1 } : undefined;
}

/** Whether all that stays of a range can be shown. */
function areLoaded(conversation: Conversation, { first, end, lead, kept }: RangeChange['anchor']): boolean {
  return [...lead, ...kept].every((ordinal) => {
    const entry = conversation.entries.at(positionOf(conversation, ordinal));
    return entry !== undefined && !isUnloaded(entry) && ordinal >= first && ordinal < end;
  });
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
    for (const item of rangeItems(conversation, range, byPosition)) items.push(item);
    position = range.end;
  }
  const tailFrom = position;
  for (; position < length; position += 1) items.push(itemAt(conversation, position, byPosition));
  return viewOf({ conversation, items, tailFrom });
}

function itemAt(
  conversation: Conversation,
  position: number,
  byPosition: ReadonlyMap<number, readonly PartLevelChange[]>,
): EntryItem {
  const changes = byPosition.get(position);
  return changes ? changedItem(conversation, position, changes) : untouchedItem(conversation, position);
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
  const note = rangeNote(conversation, change);
  const items = [
    ...lead,
    written(change, note?.tokens ?? 0),
    ...(note ? [noted(change, note)] : []),
    ...kept,
  ];
  return isHidden(conversation, end - 1) ? items.map((item) => ({ ...item, tokens: 0 })) : items;
}

/** `afterTokens` is what the range comes to in all, its index and note included. */
function written(change: RangeChange, noteTokens: number): SyntheticItem {
  const role = change.injection === 'user' ? 'user' : 'assistant';
  const item: Synthetic = { role, kind: 'summary', parts: [{ type: 'text', text: change.text }] };
  const tokens = inWholeSteps(Math.max(0, change.afterTokens - noteTokens));
  return { type: 'synthetic', item, change, tokens };
}

function noted(
  change: RangeChange,
  { text, tokens }: { readonly text: string; readonly tokens: number },
): SyntheticItem {
  const item: Synthetic = { role: 'user', kind: 'note', parts: [{ type: 'text', text }] };
  return { type: 'synthetic', item, change, tokens: inWholeSteps(tokens) };
}

/** What is not in it is compared by fingerprint. */
const places = createMemory<Change, PersistentArray<Entry>>();

/** Remembers that these changes were made on this history, or found in it. */
export function rememberPlaces(changes: Iterable<Change>, entries: PersistentArray<Entry>): void {
  for (const change of changes) if (!isKnownPlace(change, entries)) places.remember(change, entries);
}

/** Whether the change is known to fit this history: it did before, and the history has only grown since. */
function isKnownPlace(change: Change, entries: PersistentArray<Entry>): boolean {
  const known = places.recall(change);
  return known !== undefined && entries.isExtensionOf(known);
}

/**
 * What follows a summary that no request of the user follows: without it some chat templates fail with "roles must
 * alternate". It asks nothing, so that the model goes on with its work.
 */
const continueNote = '[The work goes on below, where the record above ends.]';
const noteTokens = 20;

interface NotedRange {
  readonly injection: Injection;
  readonly anchor: Pick<RangeAnchor, 'kept' | 'end'>;
}

/** The message behind the summary of a range: its index, and the note where one is needed; `undefined` without both. */
function rangeNote(
  conversation: Conversation,
  change: RangeChange,
): { readonly text: string; readonly tokens: number } | undefined {
  const index = change.type === 'range-compacted' ? change.factIndex : null;
  const tokens = continueNoteTokens(conversation, change);
  const texts = [...(index ? [index.text] : []), ...(tokens > 0 ? [continueNote] : [])];
  return texts.length === 0 ? undefined : { text: texts.join('\n\n'), tokens: tokens + (index?.tokens ?? 0) };
}

/** What the note behind a range costs; 0 where none is needed. System messages between do not count. */
export function continueNoteTokens(conversation: Conversation, { injection, anchor }: NotedRange): number {
  if (injection === 'user') return 0;
  return nextSpeaker(conversation, anchor)?.role === 'user' ? 0 : noteTokens;
}

function nextSpeaker(conversation: Conversation, { kept, end }: NotedRange['anchor']): Entry | undefined {
  for (const ordinal of kept) {
    const entry = conversation.entries.at(positionOf(conversation, ordinal));
    if (entry && entry.role !== 'system') return entry;
  }
  for (let position = positionOf(conversation, end - 1) + 1; ; position += 1) {
    const entry = conversation.entries.at(position);
    if (entry?.role !== 'system') return entry;
  }
}
