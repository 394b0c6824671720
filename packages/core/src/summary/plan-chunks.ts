import { timelineEntryText } from '../timeline/line-text.ts';
import { openFill } from '../timeline/fill-timeline.ts';
import { neutral } from '../text/quote.ts';
import { withUserWords } from '../timeline/user-words.ts';
import type { Estimator } from '../tokens/estimator.ts';
import type { TimelineEntry } from '../transcript/summary.ts';

interface PlanOptions {
  /** Index into the timeline where the first chunk starts. */
  readonly from: number;
  /** Most tokens of history in one request. */
  readonly roomTokens: number;
  readonly maxChunks: number;
  readonly estimator: Estimator;
}

/** So much of an entry is wanted before several requests are better than one that shows less. */
const wantedTokens = 200;
/** The share of the room of a request that the user's words may take. */
const wordsShare = 0.5;
/** The share of the room of a request that is planned: what is counted only together has to fit too. */
const planShare = 0.9;

/**
 * Cuts the timeline into chunks, each for one request, and gives their exclusive ends. One request is enough where it shows
 * enough of every entry; else there are as many as are needed, up to `maxChunks`. None where not even the ids of all fit.
 */
export function planChunks(
  timeline: readonly TimelineEntry[],
  { from, roomTokens, maxChunks, estimator }: PlanOptions,
): readonly number[] {
  if (from >= timeline.length) return [];
  const wanted = timeline.slice(from).map((entry) => {
    const frame = estimator.count(framed(entry, '')) + 1;
    return frame + Math.min(wantedTokens, estimator.count(timelineEntryText(entry)));
  });
  const total = wanted.reduce((sum, tokens) => sum + tokens, 0);
  const chunks = Math.min(maxChunks, Math.max(1, Math.ceil(total / (roomTokens * planShare))));
  const ends = equalEnds(wanted, chunks).map((end) => end + from);
  const places = ends.map((end, at) => timeline.slice(ends[at - 1] ?? from, end));
  const fits = places.every((place) => idTokens(place, estimator) <= roomTokens * planShare);
  return fits ? ends : [];
}

function equalEnds(sizes: readonly number[], chunks: number): number[] {
  const share = sizes.reduce((sum, size) => sum + size, 0) / chunks;
  const ends: number[] = [];
  let spent = 0;
  for (const [at, size] of sizes.entries()) {
    const isFull = spent + size > share * (ends.length + 1);
    if (spent > 0 && isFull && ends.length < chunks - 1) ends.push(at);
    spent += size;
  }
  return [...new Set([...ends, sizes.length])];
}

function idTokens(timeline: readonly TimelineEntry[], estimator: Estimator): number {
  return timeline.reduce((sum, entry) => sum + estimator.count(framed(entry, '')) + 1, 0);
}

/**
 * The text of one chunk in at most `roomTokens`, every entry in its place, with as much of it as there is room for. Each
 * stands between tags that its content cannot forge.
 */
export function chunkText(
  timeline: readonly TimelineEntry[],
  roomTokens: number,
  estimator: Estimator,
): string {
  const count = (text: string): number => estimator.count(text);
  let room = roomTokens - idTokens(timeline, estimator);
  let text = messagesText(timeline, []);
  for (let round = 0; round < 6 && room > 0; round += 1) {
    const worded = withUserWords(timeline, room * wordsShare, count);
    const filled = messagesText(timeline, openFill(worded, count)(room).entries);
    const excess = count(filled) - roomTokens;
    if (excess <= 0) {
      text = filled;
      break;
    }
    room -= excess + round;
  }
  return text;
}

function messagesText(timeline: readonly TimelineEntry[], shown: readonly TimelineEntry[]): string {
  const texts = new Map(shown.map((entry) => [entry.recallId, timelineEntryText(entry)]));
  return timeline
    .map((entry) => framed(entry, (texts.get(entry.recallId) ?? '').slice(entry.recallId.length + 1)))
    .join('\n');
}

function framed({ recallId }: TimelineEntry, text: string): string {
  return `<message id="${recallId}">${text === '' ? '' : `\n${neutral(text)}\n`}</message>`;
}
