import type { PartChange, WireRules } from '../codecs/codec.ts';
import type { Entry, Part } from '../transcript/entry.ts';
import type { Repair, RepairedEntry } from './repaired.ts';
import { findMalformed } from './well-formed.ts';

/** A repair in the making. Each step of it adds to what is lost and changed; the entries are never touched. */
export interface Draft {
  readonly entries: readonly Entry[];
  readonly rules: WireRules;
  readonly lostEntries: Set<number>;
  /** Per entry the indices of its parts that go. */
  readonly lostParts: Map<number, Set<number>>;
  readonly changes: Map<number, IndexedChange[]>;
  readonly repairs: Repair[];
}

export interface IndexedChange {
  readonly part: number;
  readonly change: PartChange;
}

export interface IndexedPart {
  readonly index: number;
  readonly part: Part;
}

export function createDraft(entries: readonly Entry[], rules: WireRules): Draft {
  return { entries, rules, lostEntries: new Set(), lostParts: new Map(), changes: new Map(), repairs: [] };
}

/** The part goes. Opaque parts never do. */
export function losePart(draft: Draft, entry: number, index: number): void {
  const lost = draft.lostParts.get(entry) ?? new Set<number>();
  lost.add(index);
  draft.lostParts.set(entry, lost);
  const part = draft.entries[entry]?.parts[index];
  if (part?.type === 'reasoning')
    changePart(draft, entry, { part: index, change: { type: 'drop-reasoning', part } });
  else if (part && part.type !== 'opaque') {
    changePart(draft, entry, { part: index, change: { type: 'drop-part', part } });
  }
}

export function changePart(draft: Draft, entry: number, change: IndexedChange): void {
  const changes = draft.changes.get(entry);
  if (changes) changes.push(change);
  else draft.changes.set(entry, [change]);
}

/** Parts of an entry that are still there. */
export function partsLeft(draft: Draft, entry: number): IndexedPart[] {
  const lost = draft.lostParts.get(entry);
  const parts = (draft.entries[entry]?.parts ?? []).map((part, index) => ({ part, index }));
  return lost ? parts.filter(({ index }) => !lost.has(index)) : parts;
}

/** Indices of the entries that are still there, ascending. */
export function entriesLeft(draft: Draft): number[] {
  return [...draft.entries.keys()].filter((index) => !draft.lostEntries.has(index));
}

const noChanges: readonly PartChange[] = [];

/** The entry as it goes out, with all that is left of it or with some of its parts only. */
export function entryItem(draft: Draft, index: number, only?: readonly number[]): RepairedEntry {
  const entry = draft.entries[index];
  const kept = only && new Set(only);
  const changes = draft.changes.get(index)?.filter(({ part }) => kept?.has(part) ?? true);
  return {
    type: 'entry',
    index,
    changes: changes?.map(({ change }) => change) ?? noChanges,
    ...(only && only.length < (entry?.parts.length ?? 0) ? { only } : {}),
    ...(findMalformed(entry?.wire) ? { cleansText: true } : {}),
  };
}
