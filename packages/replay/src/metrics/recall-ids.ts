import type { Archive } from '../contenders/contender.ts';
import type { SeenMessage } from '../sessions/message-text.ts';

/** One recall returns at most this much. */
const mostRecallTokens = 2_000;
const named = /\bm(\d{1,15})(\.\d{1,9})?(?:(?:-| to )m(\d{1,15})\b)?/g;
const longestRange = 100_000;

interface FoundByRecallId {
  /** Tokens of the smallest recall that returns it. */
  readonly tokens: number;
  /** Some recall id returns it in the first 2 000 tokens; else it lies further on. */
  readonly isAtStart: boolean;
  /** That recall id stands in the context itself, not only within a range. */
  readonly isNamed: boolean;
}

/** What can be fetched through the recall ids that a context names. */
export interface RecallIdIndex {
  find(entity: string): FoundByRecallId | undefined;
}

/** The recall ids in what would be sent: `m12`, `m12.3`, and the ends of ranges with all between (`m3-m40`, `m3 to m40`). */
export function findRecallIds(
  seen: readonly SeenMessage[],
  archive: Archive,
  textTokens: (text: string) => number,
): RecallIdIndex {
  const direct = new Set<string>();
  const ranged = new Set<string>();
  for (const message of seen) {
    const { names, ranges } = recallIdsIn(message);
    for (const name of names) direct.add(name);
    for (const [first, last] of ranges)
      for (let number = first; number <= last; number += 1) ranged.add(`m${number}`);
  }
  const lookUps = [
    { recallIds: direct, from: 'start', isAtStart: true, isNamed: true },
    { recallIds: ranged, from: 'start', isAtStart: true, isNamed: false },
    { recallIds: direct, from: 'anywhere', isAtStart: false, isNamed: true },
    { recallIds: ranged, from: 'anywhere', isAtStart: false, isNamed: false },
  ] as const;
  return {
    find(entity) {
      for (const { recallIds, from, isAtStart, isNamed } of lookUps) {
        const tokens = smallest(recallIds, entity, { archive, textTokens, from });
        if (tokens !== undefined) return { tokens, isAtStart, isNamed };
      }
      return undefined;
    },
  };
}

interface NamedRecallIds {
  readonly names: readonly string[];
  readonly ranges: readonly (readonly [first: number, last: number])[];
}

const known = new WeakMap<SeenMessage, NamedRecallIds>();

function recallIdsIn(message: SeenMessage): NamedRecallIds {
  const found = known.get(message);
  if (found) return found;
  const names: string[] = [];
  const ranges: (readonly [number, number])[] = [];
  for (const [, first = '', part, last] of message.searchText.matchAll(named)) {
    if (last === undefined) names.push(`m${first}${part ?? ''}`);
    else if (Number(last) - Number(first) < longestRange) ranges.push([Number(first), Number(last)]);
  }
  const recallIds = { names, ranges };
  known.set(message, recallIds);
  return recallIds;
}

interface Search {
  readonly archive: Archive;
  readonly textTokens: (text: string) => number;
  readonly from: 'start' | 'anywhere';
}

/** Tokens of the smallest recall through one of the ids that returns the entity. */
function smallest(recallIds: ReadonlySet<string>, entity: string, search: Search): number | undefined {
  let best: number | undefined;
  for (const recallId of recallIds) {
    const text = search.archive.recall(recallId);
    if (text === undefined || !text.includes(entity)) continue;
    const { tokens, start } = measured(text, search.textTokens);
    if (search.from === 'start' && !start.includes(entity)) continue;
    best = Math.min(best ?? Infinity, Math.min(tokens, mostRecallTokens));
  }
  return best;
}

interface Measured {
  readonly tokens: number;
  /** The first 2 000 tokens. */
  readonly start: string;
}

/** By how is counted: what one replay has measured goes with it. */
const measures = new WeakMap<Search['textTokens'], Map<string, Measured>>();

function measured(text: string, textTokens: Search['textTokens']): Measured {
  const known = measures.get(textTokens) ?? new Map<string, Measured>();
  measures.set(textTokens, known);
  const found = known.get(text);
  if (found) return found;
  const tokens = textTokens(text);
  let start = text;
  if (tokens > mostRecallTokens) {
    let [low, high] = [0, text.length];
    while (high - low > 40) {
      const middle = Math.floor((low + high) / 2);
      if (textTokens(text.slice(0, middle)) <= mostRecallTokens) low = middle;
      else high = middle;
    }
    start = text.slice(0, low);
  }
  const result = { tokens, start };
  known.set(text, result);
  return result;
}
