import { boundedEntry, entryText, levelCount, lineWeights, weighedAs } from './line-text.ts';
import type { TimelineEntry } from '../transcript/timeline.ts';

export type Count = (text: string) => number;
type Cost = (entry: TimelineEntry, level: number) => number;

/**
 * A timeline in so many tokens: of every entry as much as there is room for, of the newest ones a level more. Where not
 * even the least of all fits, the lightest lines go, oldest first; the user's words stay.
 */
export function fillTimeline(
  entries: readonly TimelineEntry[],
  maxTokens: number,
  count: Count,
  root = '',
): string {
  const failure = newestFailure(entries);
  const plain = costOf(count, root);
  const cost: Cost = (entry, level) =>
    plain(entry, entry === failure ? Math.max(level, failureLevel) : level);
  const level = levelFor(entries, maxTokens, cost);
  const from =
    level >= 0 && level + 1 < levelCount ? upgradedFrom(entries, level, maxTokens, cost) : entries.length;
  const shown = level < 0 ? faded(entries, maxTokens, cost) : entries;
  return shown
    .map((entry, index) => {
      const own = index >= from ? level + 1 : Math.max(0, level);
      return entryText(entry, entry === failure ? Math.max(own, failureLevel) : own, root);
    })
    .filter((text) => text !== '')
    .join('\n')
    .toWellFormed();
}

/**
 * What of a timeline may still be shown where there is never more room than this. What fades here is forgotten by all
 * later rounds, and stays in the history.
 */
export function boundTimeline(
  entries: readonly TimelineEntry[],
  maxTokens: number,
  count: Count,
): TimelineEntry[] {
  const cost = costOf(count, '');
  const level = levelFor(entries, maxTokens, cost);
  const kept = level < 0 ? faded(entries, maxTokens, cost) : entries;
  const shown = Math.max(0, level);
  const failure = newestFailure(kept);
  let left = maxTokens;
  // A level more costs several times as much where one message is large: of those that fit into the room once more.
  const bounded = kept.toReversed().map((entry) => {
    const least = entry === failure ? Math.max(shown, failureLevel) : shown;
    const added = Math.max(0, cost(entry, shown + 1) - cost(entry, shown));
    left -= added;
    return boundedEntry(entry, left < 0 ? least : Math.max(least, shown + 1));
  });
  return bounded.filter(({ lines }) => lines.length > 0).reverse();
}

/** What the next step may be about: it is told in full. */
function newestFailure(entries: readonly TimelineEntry[]): TimelineEntry | undefined {
  return entries.findLast(({ lines }) => lines.some(({ hasFailed }) => hasFailed));
}

/** At which the line that names an error stands whole. */
const failureLevel = 4;

/** Of the room: a message in which hundreds of calls failed is faded as any other. */
const failureShare = 0.25;

function costOf(count: Count, root: string): Cost {
  const known = new Map<TimelineEntry, number[]>();
  return (entry, level) => {
    let costs = known.get(entry);
    if (!costs) known.set(entry, (costs = []));
    return (costs[level] ??= count(entryText(entry, level, root)) + 1);
  };
}

function total(entries: readonly TimelineEntry[], level: number, cost: Cost): number {
  return entries.reduce((sum, entry) => sum + cost(entry, level), 0);
}

/** The highest level at which everything fits; -1 where the lowest does not. */
function levelFor(entries: readonly TimelineEntry[], maxTokens: number, cost: Cost): number {
  let level = 0;
  while (level < levelCount && total(entries, level, cost) <= maxTokens) level += 1;
  return level - 1;
}

/** From which entry on there is room for a level more. */
function upgradedFrom(
  entries: readonly TimelineEntry[],
  level: number,
  maxTokens: number,
  cost: Cost,
): number {
  let left = maxTokens - total(entries, level, cost);
  let from = entries.length;
  for (; from > 0; from -= 1) {
    const entry = entries[from - 1] as TimelineEntry;
    left -= cost(entry, level + 1) - cost(entry, level);
    if (left < 0) break;
  }
  return from;
}

function faded(entries: readonly TimelineEntry[], maxTokens: number, cost: Cost): TimelineEntry[] {
  let excess = total(entries, 0, cost) - maxTokens;
  const left = [...entries];
  const failure = newestFailure(entries);
  const isSpared = (entry: TimelineEntry): boolean =>
    entry === failure && cost(entry, failureLevel) <= maxTokens * failureShare;
  for (let weight = 0; weight <= lineWeights.told && excess > 0; weight += 1) {
    for (let index = 0; index < left.length && excess > 0; index += 1) {
      const entry = left[index] as TimelineEntry;
      if (isSpared(entry)) continue;
      const lines = entry.lines.filter((line) => lineWeights[weighedAs(line)] !== weight);
      if (lines.length === entry.lines.length) continue;
      left[index] = { ...entry, lines };
      excess -= cost(entry, 0) - (lines.length === 0 ? 0 : cost(left[index] as TimelineEntry, 0));
    }
  }
  return left.filter(({ lines }) => lines.length > 0);
}
