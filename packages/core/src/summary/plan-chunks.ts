import { cutHead } from '../text/cut-text.ts';
import { entryText, levelCount } from '../timeline/line-text.ts';
import { neutral } from '../text/neutral.ts';
import { withUserWords } from '../timeline/user-words.ts';
import type { Estimator } from '../tokens/estimator.ts';
import type { TimelineEntry } from '../transcript/timeline.ts';

export interface ChunkPlan {
  /** Exclusive ends of the chunks, as indexes into the timeline of what is compacted. */
  readonly chunkEnds: readonly number[];
  /** How much of each entry is shown; below 0 its first characters. */
  readonly level: number;
  /** Most the user's words cost in all of them. */
  readonly wordsTokens: number;
}

export interface PlanOptions {
  /** Index into the timeline where the first chunk starts. */
  readonly from: number;
  /** Most tokens of history in one request. */
  readonly roomTokens: number;
  readonly maxChunks: number;
  readonly estimator: Estimator;
}

/** From here on down several requests are better than one that shows less: 800 characters of a text, 90 of a result. */
const leastForOne = 5;

/** Of each entry, where not even the lowest level fits: the last ones only say that something was there. */
const fewestCharacters = [160, 80, 40, 16];

/** Of the room of all requests together. */
const wordsShare = 0.5;

/**
 * Cuts the timeline into chunks, each within the room of one request. One request is tried first, with as much of every
 * entry as there is room for; then more of them. `undefined` where even the least does not fit.
 */
export function planChunks(timeline: readonly TimelineEntry[], options: PlanOptions): ChunkPlan | undefined {
  const { from, roomTokens, maxChunks } = options;
  if (from >= timeline.length) return { chunkEnds: [], level: levelCount - 1, wordsTokens: 0 };
  for (let level = levelCount - 1; level >= -fewestCharacters.length; level -= 1) {
    const chunks = level >= leastForOne ? 1 : maxChunks;
    const wordsTokens = Math.floor(roomTokens * chunks * wordsShare);
    const shown = shownTimeline(timeline, wordsTokens, options.estimator);
    const chunkEnds = fill(shown, level, { ...options, maxChunks: chunks });
    if (chunkEnds) return { chunkEnds, level, wordsTokens };
  }
  return undefined;
}

function shownTimeline(
  timeline: readonly TimelineEntry[],
  wordsTokens: number,
  estimator: Estimator,
): readonly TimelineEntry[] {
  return withUserWords(timeline, wordsTokens, (text) => estimator.count(text));
}

function fill(timeline: readonly TimelineEntry[], level: number, options: PlanOptions): number[] | undefined {
  const { from, roomTokens, maxChunks, estimator } = options;
  const ends: number[] = [];
  let spent = 0;
  for (let index = from; index < timeline.length; index += 1) {
    const tokens = estimator.count(messageText(timeline[index] as TimelineEntry, level)) + 1;
    if (tokens > roomTokens) return undefined;
    if (spent + tokens > roomTokens) {
      ends.push(index);
      if (ends.length >= maxChunks) return undefined;
      spent = 0;
    }
    spent += tokens;
  }
  ends.push(timeline.length);
  return ends;
}

export interface ChunkPlace extends Pick<ChunkPlan, 'level' | 'wordsTokens'> {
  readonly first: number;
  readonly end: number;
}

/** The text of one chunk. Each entry stands between tags that its content cannot forge. */
export function chunkText(
  timeline: readonly TimelineEntry[],
  place: ChunkPlace,
  estimator: Estimator,
): string {
  return shownTimeline(timeline, place.wordsTokens, estimator)
    .slice(place.first, place.end)
    .map((entry) => messageText(entry, place.level))
    .join('\n');
}

function messageText(entry: TimelineEntry, level: number): string {
  const { recallId } = entry;
  const whole = entryText(entry, Math.max(0, level)).slice(recallId.length + 1);
  const text = level < 0 ? cutHead(whole, fewestCharacters[-level - 1] ?? 0) : whole;
  return `<message id="${recallId}">${text === '' ? '' : `\n${neutral(text)}\n`}</message>`;
}
