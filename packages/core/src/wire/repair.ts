import type { Codec, PartChange } from '../codecs/codec.ts';
import { isBlank } from '../transcript/entry.ts';
import type { Entry } from '../transcript/entry.ts';
import type { CallIdRule, CheckOptions } from './validate.ts';
import { callIdRule, hasOwnId, validate } from './validate.ts';
import type { Draft, Repaired, RepairedItem } from './repaired.ts';
import { changePart, contentLeft, createDraft, entriesLeft, losePart, partsLeft } from './repaired.ts';
import { insertRoleNotes, layOutItems } from './lay-out-items.ts';
import type { PairedCall, Pairing } from './pair-calls.ts';
import { layOutResponses, openSpan, pairCalls } from './pair-calls.ts';
import type { Runs } from './response-runs.ts';
import { findRuns, mergesAssistants } from './response-runs.ts';
import { findMalformed } from './well-formed.ts';
import {
  isEmpty,
  isMisplaced,
  isReasoningOnly,
  refusedMedia,
  refusesBlankText,
  strandedFrom,
} from './message-content.ts';

const noChanges: readonly PartChange[] = [];

/**
 * Says what to send so that the format accepts it. A valid list comes back entry by entry without a change; else as
 * little as possible is altered, and every alteration is reported. What comes out is valid, a second repair changes
 * nothing, the same list always gives the same result, and nothing handed in is touched. Linear.
 *
 * Computed anew for each view and never stored: a real result that arrives late replaces the error result.
 */
export function repair(entries: readonly Entry[], codec: Codec, options: CheckOptions): Repaired {
  if (validate(entries, codec.rules, options).length === 0)
    return { items: entries.map(asItIs), repairs: [] };
  const draft = createDraft(entries, codec.rules);
  const pairing = pairCalls(entries, codec.rules, options.continues?.answeredCallIds);
  dropUnsendable(draft, pairing);
  const runs = findRuns(draft, pairing, options.ending);
  renameCalls(draft, pairing, runs, options);
  replaceMedia(draft);
  reportCleaned(draft);
  const items = insertRoleNotes(draft, layOutItems(draft, runs, codec), options);
  return { items: withTrimmedEnd(draft, items), repairs: draft.repairs };
}

function asItIs(_entry: Entry, index: number): RepairedItem {
  return { type: 'entry', index, changes: noChanges };
}

/** What has its place is looked at: what stood behind the last answer may have gone, or moved up to its call. */
function withTrimmedEnd(draft: Draft, items: readonly RepairedItem[]): readonly RepairedItem[] {
  const last = items.at(-1);
  if (draft.rules.trimsLastAnswer !== true || !last) return items;
  const trimmed = trimmedEnd(draft, last);
  return trimmed === last ? items : [...items.slice(0, -1), trimmed];
}

function trimmedEnd<Item extends RepairedItem>(draft: Draft, item: Item): Item {
  if (item.type === 'joined') {
    const end = item.items.at(-1);
    const trimmed = end && trimmedEnd(draft, end);
    return trimmed === undefined || trimmed === end
      ? item
      : { ...item, items: [...item.items.slice(0, -1), trimmed] };
  }
  if (item.type !== 'entry' || draft.entries[item.index]?.role !== 'assistant') return item;
  const { index: entry, only } = item;
  const end = partsLeft(draft, entry).findLast(({ index }) => only?.includes(index) ?? true);
  if (end?.part.type !== 'text') return item;
  const { part, index } = end;
  const text = part.text.trimEnd();
  if (text === part.text) return item;
  draft.repairs.push({ type: 'end-trimmed', entry, part: index });
  return { ...item, changes: [...item.changes, { type: 'replace-text', part, text }] };
}

function reportCleaned(draft: Draft): void {
  for (const entry of entriesLeft(draft)) {
    if (findMalformed(draft.entries[entry]?.wire)) draft.repairs.push({ type: 'text-cleaned', entry });
  }
}

/** Takes out what no request of the format may contain: halves of pairs, empty messages, reasoning without its item. */
function dropUnsendable(draft: Draft, pairing: Pairing): void {
  dropUnpaired(draft, pairing);
  for (const entry of draft.entries.keys()) dropFromMessage(draft, entry);
  for (const entry of draft.entries.keys()) dropIfEmpty(draft, entry);
  for (const response of assistantRuns(draft)) dropStrandedReasoning(draft, response);
}

function dropUnpaired(draft: Draft, pairing: Pairing): void {
  const open = openSpan(draft.entries, layOutResponses(draft.entries, draft.rules));
  for (const { entry, part, result, fault } of pairing.results) {
    if (!fault) continue;
    losePart(draft, entry, part);
    draft.repairs.push({ type: 'result-dropped', entry, part, callId: result.callId, because: fault });
  }
  for (const { entry, part, call } of pairing.misplacedCalls) {
    losePart(draft, entry, part);
    draft.repairs.push({ type: 'call-dropped', entry, part, callId: call.callId, because: 'misplaced' });
  }
  for (const { entry, part, call, result } of pairing.calls) {
    if (result || call.isProviderExecuted !== true || (open && entry >= open.first)) continue;
    losePart(draft, entry, part);
    draft.repairs.push({ type: 'call-dropped', entry, part, callId: call.callId, because: 'split-pair' });
  }
}

function dropFromMessage(draft: Draft, entry: number): void {
  const role = draft.entries[entry]?.role ?? 'user';
  const isEmptyAnyway = isEmpty(contentLeft(draft, entry));
  for (const { part, index } of partsLeft(draft, entry)) {
    if (part.type === 'reasoning' && isMisplaced(part, role)) dropPart(draft, entry, index, 'misplaced');
    // Signed text cannot be corrected: whole or gone.
    else if (part.type === 'reasoning' && part.binding && !part.text.isWellFormed()) {
      dropPart(draft, entry, index, 'malformed-reasoning');
    } else if (!isEmptyAnyway && refusesBlankText(draft.rules) && isBlank(part)) {
      dropPart(draft, entry, index, 'empty-text');
    }
  }
}

type PartDropReason = Extract<Draft['repairs'][number], { type: 'part-dropped' }>['because'];

function dropPart(draft: Draft, entry: number, part: number, because: PartDropReason): void {
  losePart(draft, entry, part);
  draft.repairs.push({ type: 'part-dropped', entry, part, because });
}

function dropIfEmpty(draft: Draft, entry: number): void {
  if (!isEmpty(contentLeft(draft, entry))) return;
  draft.lostEntries.add(entry);
  draft.repairs.push({ type: 'message-dropped', entry, because: 'empty' });
}

/**
 * Runs of assistant messages in which reasoning finds its item: where the server merges messages or a response is
 * several items, the whole run; else each message by itself.
 */
function assistantRuns(draft: Draft): number[][] {
  const isRun = draft.rules.entriesPerResponse === 'many' || mergesAssistants(draft.rules);
  const runs: number[][] = [];
  let previous = -1;
  const left = entriesLeft(draft);
  for (const [position, entry] of left.entries()) {
    if (draft.entries[entry]?.role !== 'assistant') continue;
    if (isRun && previous === position - 1 && runs.length > 0) runs.at(-1)?.push(entry);
    else runs.push([entry]);
    previous = position;
  }
  return runs;
}

function dropStrandedReasoning(draft: Draft, run: readonly number[]): void {
  const places = run.flatMap((entry) =>
    partsLeft(draft, entry).map(({ part, index }) => ({ entry, index, part })),
  );
  const from = strandedFrom(places.map(({ part }) => part));
  const touched = new Set(places.slice(from).map(({ entry }) => entry));
  for (const { entry, index, part } of places.slice(from)) {
    const isWhole = isReasoningOnly(contentLeft(draft, entry));
    if (!isWhole && part.binding === 'next-item') dropPart(draft, entry, index, 'reasoning-without-item');
  }
  for (const entry of touched) {
    const parts = contentLeft(draft, entry);
    if (!isReasoningOnly(parts) && !isEmpty(parts)) continue;
    draft.lostEntries.add(entry);
    draft.repairs.push({
      type: 'message-dropped',
      entry,
      because: isEmpty(parts) ? 'empty' : 'reasoning-only',
    });
  }
}

/**
 * Gives calls with a repeated or refused id another one, and their results with them. A new id follows from the
 * calls before it alone, so what is appended later never changes it.
 */
function renameCalls(draft: Draft, pairing: Pairing, runs: Runs, { continues }: CheckOptions): void {
  const rule = callIdRule(draft.rules, continues);
  for (const call of pairing.calls) {
    if (draft.lostParts.get(call.entry)?.has(call.part) || draft.lostEntries.has(call.entry)) continue;
    if (!hasOwnId(call.call, draft.rules)) continue;
    const { callId } = call.call;
    const run = runs.memberOf.get(call.entry);
    const isFine = rule.isWellFormed(callId) && !rule.isTaken(callId, run);
    const name = isFine ? callId : freeName(callId, rule);
    if (name !== callId) rename(draft, call, name);
    rule.take(name, run);
    draft.callIds.set(call, name);
  }
}

function rename(draft: Draft, { entry, part, call, result }: PairedCall, callId: string): void {
  changePart(draft, entry, { part, change: { type: 'rename-call', part: call, callId } });
  if (result) {
    const change = { type: 'rename-call', part: result.result, callId } as const;
    changePart(draft, result.entry, { part: result.part, change });
  }
  draft.repairs.push({ type: 'call-renamed', entry, part, from: call.callId, to: callId });
}

// The longest id that OpenAI takes; a suffix must still fit.
const longestStem = 50;

/** Shapes of ids from the one that says most to the one that any pattern known takes (Mistral: nine of a-zA-Z0-9). */
const shapes: readonly ((stem: string, count: number) => string)[] = [
  (stem, count) => (count === 1 ? stem : `${stem}_${count}`),
  (_stem, count) => `call_${count}`,
  (_stem, count) => count.toString(36).padStart(9, '0'),
];

function freeName(callId: string, rule: CallIdRule): string {
  const stem = callId.slice(0, longestStem).replace(/[^a-zA-Z0-9_-]/g, '_') || 'call';
  const shape = shapes.find((one) => rule.isWellFormed(one(stem, 2))) ?? shapes[0];
  let name = callId;
  // Ends: each known id blocks one count at most. The rule remembers where it stopped for each stem.
  do name = shape?.(stem, rule.nextCount(shape === shapes[0] ? stem : '')) ?? callId;
  while (rule.isKnown(name));
  return name;
}

/** Puts a note in the place of media that the format does not take there. */
function replaceMedia(draft: Draft): void {
  for (const entry of entriesLeft(draft)) {
    const value = draft.entries[entry];
    if (!value) continue;
    for (const { media, ...place } of refusedMedia(value, draft.rules)) {
      const { part } = place;
      if (draft.lostParts.get(entry)?.has(part)) continue;
      const text = mediaNote(media.mediaType, media.filename);
      changePart(draft, entry, { part, change: { type: 'replace-media', part: media, text } });
      draft.repairs.push({ type: 'media-replaced', entry, ...place });
    }
  }
}

/** The text that stands for media which a format does not take in this place. */
function mediaNote(mediaType: string, filename?: string): string {
  const name = filename === undefined ? '' : ` "${filename}"`;
  return `[${mediaType}${name} left out: not accepted in this place]`.toWellFormed();
}
