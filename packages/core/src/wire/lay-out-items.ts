import type { Codec, NeutralPart, Synthetic } from '../codecs/codec.ts';
import type { Draft, RepairedEntry, RepairedItem, RepairedSynthetic } from './repaired.ts';
import { entriesLeft, entryItem, partsLeft } from './repaired.ts';
import { isBlank } from '../transcript/entry.ts';
import { roleFaults } from './message-content.ts';
import type { PairedResult } from './pair-calls.ts';
import type { Run, Runs } from './response-runs.ts';
import type { Role } from '../transcript/entry.ts';
import type { CheckOptions } from './validate.ts';

type SingleItem = RepairedEntry | RepairedSynthetic;

/** An item and the index of the entry it came from or stands before. */
interface PlacedItem {
  readonly item: RepairedItem;
  readonly entry: number;
}

/** Brings what is left into order: behind each response the results it lacks, then those it has. Linear. */
export function layOutItems(draft: Draft, runs: Runs, codec: Codec): PlacedItem[] {
  const placed: (readonly PlacedItem[])[] = [];
  const done = new Set<number>();
  const left = entriesLeft(draft);
  const leading = countLeadingSystem(draft, left);
  for (const [position, entry] of left.entries()) {
    if (done.has(entry)) continue;
    const run = runs.memberOf.get(entry);
    if (run) placed.push(layOutRun(draft, run, runs, done));
    else if (draft.entries[entry]?.role === 'system') {
      placed.push(systemItems(draft, entry, position < leading, codec));
    } else placed.push(rest(draft, entry, runs).map((item) => ({ item, entry })));
  }
  return placed.flat();
}

function layOutRun(draft: Draft, run: Run, runs: Runs, done: Set<number>): PlacedItem[] {
  const [first = 0] = run.members;
  const last = run.members.at(-1) ?? first;
  const own = run.members.map((entry) => entryItem(draft, entry));
  const placed: PlacedItem[] = run.isJoined
    ? [{ item: { type: 'joined', items: own }, entry: first }]
    : own.map((item) => ({ item, entry: item.index }));
  if (run.isJoined) draft.repairs.push({ type: 'messages-joined', entry: first, end: last + 1 });
  for (const member of run.members) done.add(member);

  const added = addedResults(draft, run);
  if (added.length === 0) return placed;
  if (draft.rules.resultsIn !== 'user-message') {
    return [...placed, ...added.map((item) => ({ item, entry: last }))];
  }
  const home = [...run.zone].find((entry) => hasOwnResults(draft, entry, runs));
  if (home !== undefined) done.add(home);
  const items = home === undefined ? added : [...added, ...pieces(draft, home, runs)];
  return [...placed, { item: joined(items), entry: home ?? last }];
}

/** Results that are missing, then those that stand elsewhere. */
function addedResults(draft: Draft, run: Run): SingleItem[] {
  const added: SingleItem[] = [];
  const missing = run.missing.map((paired) => {
    const callId = draft.callIds.get(paired) ?? paired.call.callId;
    draft.repairs.push({ type: 'result-added', entry: paired.entry, part: paired.part, callId });
    return { callId, name: paired.call.name.toWellFormed() };
  });
  if (missing.length > 0) added.push({ type: 'synthetic', item: interrupted(missing) });
  for (const [entry, late] of Map.groupBy(run.late, (paired) => paired.entry)) {
    added.push(lateItem(draft, entry, late));
    for (const { part, result, call } of late) {
      const to = call?.entry ?? entry;
      draft.repairs.push({ type: 'result-moved', entry, part, callId: result.callId, to });
    }
  }
  return added;
}

function lateItem(draft: Draft, entry: number, late: readonly PairedResult[]): RepairedEntry {
  const moved = late.map(({ part }) => part);
  return moved.length === partsLeft(draft, entry).length
    ? entryItem(draft, entry)
    : entryItem(draft, entry, moved);
}

function hasOwnResults(draft: Draft, entry: number, runs: Runs): boolean {
  const moved = runs.movedParts.get(entry);
  return partsLeft(draft, entry).some(({ part, index }) => part.type === 'result' && !moved?.has(index));
}

/** What stays of a message in its place. */
function rest(draft: Draft, entry: number, runs: Runs): RepairedItem[] {
  const items = pieces(draft, entry, runs);
  return items.length === 0 ? [] : [joined(items)];
}

function joined(items: readonly SingleItem[]): RepairedItem {
  const [only] = items;
  return items.length === 1 && only ? only : { type: 'joined', items };
}

/** What stays of a message, results first where the format wants it: nothing, the message, or its two halves. */
function pieces(draft: Draft, entry: number, runs: Runs): RepairedEntry[] {
  const all = partsLeft(draft, entry);
  const moved = runs.movedParts.get(entry);
  const left = moved ? all.filter(({ index }) => !moved.has(index)) : all;
  if (left.length === 0 || (moved && left.every(({ part }) => isBlank(part)))) return [];
  const results = left.filter(({ part }) => part.type === 'result').map(({ index }) => index);
  const others = left.filter(({ part }) => part.type !== 'result').map(({ index }) => index);
  const isOrdered = results.length === 0 || others.length === 0 || (results.at(-1) ?? 0) < (others[0] ?? 0);
  if (draft.rules.resultsFirst && !isOrdered) {
    draft.repairs.push({ type: 'results-reordered', entry });
    return [entryItem(draft, entry, results), entryItem(draft, entry, others)];
  }
  return [
    moved
      ? entryItem(
          draft,
          entry,
          left.map(({ index }) => index),
        )
      : entryItem(draft, entry),
  ];
}

function countLeadingSystem(draft: Draft, left: readonly number[]): number {
  const count = left.findIndex((entry) => draft.entries[entry]?.role !== 'system');
  return count < 0 ? left.length : count;
}

function systemItems(draft: Draft, entry: number, isLeading: boolean, codec: Codec): PlacedItem[] {
  const { systemMessages } = draft.rules;
  const value = draft.entries[entry];
  if (!value || systemMessages === 'anywhere' || (systemMessages === 'leading' && isLeading)) {
    return [{ item: entryItem(draft, entry), entry }];
  }
  const texts = codec
    .neutral(value)
    .flatMap((part): NeutralPart[] =>
      part.type === 'text' && part.text.trim() !== ''
        ? [{ type: 'text', text: part.text.toWellFormed() }]
        : [],
    );
  if (texts.length === 0) {
    draft.repairs.push({ type: 'message-dropped', entry, because: 'empty' });
    return [];
  }
  draft.repairs.push({ type: 'system-converted', entry });
  return [{ item: { type: 'synthetic', item: { role: 'user', kind: 'note', parts: texts } }, entry }];
}

/** Puts constant notes where the order of roles needs them: before a first message that is not the user's, and between
 *  two messages of one role. */
export function insertRoleNotes(
  draft: Draft,
  placed: readonly PlacedItem[],
  { continues }: CheckOptions,
): RepairedItem[] {
  const roles = placed.map(({ item }) => roleOf(item, draft));
  const notes = new Map<number, 'user' | 'assistant'>();
  for (const { rule, index, role } of roleFaults(roles, draft.rules, continues?.lastRole)) {
    if (rule === 'first-not-user') notes.set(index, 'user');
    else if (rule === 'consecutive-roles') notes.set(index, role === 'user' ? 'assistant' : 'user');
  }
  const noteBefore = (index: number, before: number): RepairedItem[] => {
    const role = notes.get(index);
    if (!role) return [];
    draft.repairs.push({ type: 'note-added', before, role });
    return [{ type: 'synthetic', item: roleNote(role) }];
  };
  const items = placed.flatMap(({ item, entry }, index) => [...noteBefore(index, entry), item]);
  return [...items, ...noteBefore(placed.length, draft.entries.length)];
}

function roleOf(item: RepairedItem, draft: Draft): Role {
  if (item.type === 'synthetic') return item.item.role;
  if (item.type === 'entry') return draft.entries[item.index]?.role ?? 'user';
  const [first] = item.items;
  return first ? roleOf(first, draft) : 'user';
}

/** The error result of a call that has none. */
export const interruptedText = 'interrupted: this call has no result; it may have run in part or not at all';

/** Stand between two messages of one role, or before the first message, where a format wants roles in turn. */
const roleNotes = {
  user: 'Continue.',
  assistant: 'Understood.',
} as const;

/** One message with an error result for each call. */
export function interrupted(calls: readonly { readonly callId: string; readonly name: string }[]): Synthetic {
  const parts = calls.map(({ callId, name }): NeutralPart => ({
    type: 'result',
    callId,
    name,
    content: [{ type: 'text', text: interruptedText }],
    isError: true,
  }));
  return { role: 'tool', kind: 'interrupted', parts };
}

function roleNote(role: 'user' | 'assistant'): Synthetic {
  return { role, kind: 'note', parts: [{ type: 'text', text: roleNotes[role] }] };
}
