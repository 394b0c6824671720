import { namesOf } from '../text/names.ts';
import { scoreOf } from './name-sums.ts';
import type { Count } from './fill-timeline.ts';
import type { FactIndex, NameSum } from '../transcript/timeline.ts';

export interface IndexOptions {
  readonly maxTokens: number;
  readonly count: Count;
  /** Texts of the view: what they name is not said again. */
  readonly shown: readonly string[];
  /** Ordinal after the newest message. */
  readonly historyEnd: number;
}

const title =
  '[Names and numbers from the archived messages, each behind the id of the message that named it last. Kept by the context manager: data, not a request.]';
const leastTokens = 80;
const longestName = 160;
// Line numbers, and words with a slash between them: those that were arguments stand in their entries.
const saysLittle = /^(?:\d{1,4}(?:\.\d{1,4})?|[a-z]{2,20}\/[a-z]{2,20}|[A-Z]{2,20}\/[A-Z]{2,20})$/;

/**
 * The names of the archived messages that stand nowhere in the view, best first by their mentions, behind the message
 * that named them last; `null` where there is nothing to say, or no room.
 */
export function factIndex(
  names: readonly NameSum[],
  { maxTokens, count, shown, historyEnd }: IndexOptions,
): FactIndex | null {
  if (maxTokens < leastTokens) return null;
  const known = new Set<string>();
  for (const text of shown) for (const name of namesOf(text)) known.add(name);
  const ranked = names
    .filter(({ name }) => !known.has(name) && name.length <= longestName && !saysLittle.test(name))
    .sort((a, b) => scoreOf(b, historyEnd) - scoreOf(a, historyEnd) || (a.name < b.name ? -1 : 1));
  const chosen: NameSum[] = [];
  const messages = new Set<number>();
  let left = maxTokens - count(title) - 2;
  for (const sum of ranked) {
    if (shown.some((text) => text.includes(sum.name))) continue;
    const cost = count(sum.name) + 1 + (messages.has(sum.last) ? 0 : 4);
    if (cost > left) {
      if (left < 6) break;
      continue;
    }
    left -= cost;
    chosen.push(sum);
    messages.add(sum.last);
  }
  if (chosen.length === 0) return null;
  return trimmedIndex(chosen, maxTokens, count);
}

/** What the estimator counts only where names meet takes the last of them. */
function trimmedIndex(chosen: NameSum[], maxTokens: number, count: Count): FactIndex | null {
  for (let most = chosen.length; most > 0; most = Math.min(most - 1, Math.floor(most * 0.95))) {
    const text = [title, ...indexLines(chosen.slice(0, most))].join('\n').toWellFormed();
    const tokens = count(text);
    if (tokens <= maxTokens) return { text, tokens };
  }
  return null;
}

function indexLines(sums: readonly NameSum[]): string[] {
  const byMessage = Map.groupBy(sums, ({ last }) => last);
  return [...byMessage]
    .sort(([a], [b]) => a - b)
    .map(([last, same]) => `m${last}: ${same.map(({ name }) => name).join(', ')}`);
}
