import { fileEnding, namesOf, visitNames } from '../text/names.ts';
import { visitTexts, withoutEscapes } from '../transcript/entry-text.ts';
import { spokenResult } from './failures.ts';
import type { Count } from '../text/cut-text.ts';
import type { TextSource } from '../transcript/entry-text.ts';
import type { Entry } from '../transcript/entry.ts';
import type { FactIndex, NameSum } from '../transcript/summary.ts';

interface IndexOptions {
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
// More from one message are a list of its own: of axes, or of what a bundler made of names.
const mostOfMessage = 24;
const longestName = 160;
// Line numbers, durations, words with a slash between them (those that were arguments stand in their entries), pieces of
// times.
const saysLittle =
  /^(?:\d{1,4}(?:\.\d{1,4})?|\d{1,9}(?:\.\d{1,9})?(?:ms|s)|[a-z]{2,20}\/[a-z]{2,20}|[A-Z]{2,20}\/[A-Z]{2,20}|\d{4}-\d\d-\d\dT\d\d|\d\d\+\d\d|e\.g|i\.e)$/;

// Of a drawing (`4.8l-1.2-1.2M18.5`), and no version.
const ofPath =
  /^(?=[^.]*\.)(?!\d+(?:\.\d+)*(?:[abc]|rc)\d*$)(?:\d[\d.-]*(?:[MLHVCSQTAZmlhvcsqtaz][\d.-]+)+|[MLHVCSQTA]\d*\.\d{3,})[zZ]?$/;

// `Pdf10`, `Pdf11` … of one message: a list of its own, which says nothing of any of them.
const fewestOfRun = 5;

// A member or an import of code that was only read: `lines.push`, `../lib/a`.
const ofCode = /^(?:\.{1,2}\/|[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]{3,})+$)/;

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
  const sayable = names.filter(
    ({ name, weight }) =>
      !known.has(name) &&
      name.length <= longestName &&
      !saysLittle.test(name) &&
      !ofPath.test(name) &&
      !(weight < textWeight && ofCode.test(name) && !fileEnding.test(name)),
  );
  const ranked = bestOf(withoutRuns(sayable), historyEnd, sayable.length);
  const chosen: NameSum[] = [];
  const messages = new Map<number, number>();
  let left = maxTokens - count(title) - 2;
  for (const sum of ranked) {
    const beside = messages.get(sum.last) ?? 0;
    if (beside >= mostOfMessage || shown.some((text) => text.includes(sum.name))) continue;
    const cost = count(sum.name) + 1 + (beside > 0 ? 0 : 4);
    if (cost > left) {
      if (left < 6) break;
      continue;
    }
    left -= cost;
    chosen.push(sum);
    messages.set(sum.last, beside + 1);
  }
  if (chosen.length === 0) return null;
  return trimmedIndex(chosen, maxTokens, count);
}

/** The names without those that only count up in one message, but for the used ones. */
function withoutRuns(names: readonly NameSum[]): NameSum[] {
  const formOf = ({ name, last }: NameSum): string =>
    counted.test(name) && !hash.test(name) ? `${last} ${name.replace(/\d+/g, '0')}` : '';
  const forms = Map.groupBy(names, formOf);
  return names.filter(
    (sum) =>
      sum.weight >= shortArgumentWeight ||
      formOf(sum) === '' ||
      (forms.get(formOf(sum))?.length ?? 0) < fewestOfRun,
  );
}

// A longer number is an id, which may be asked for.
const counted = /^[A-Za-z](?:[A-Za-z_-]|\d{1,3}(?!\d))*$/;
const hash = /^[0-9a-f]{7,64}$/;

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

// What one mention says about later use.
const shortArgumentWeight = 3;
const textWeight = 1.5;
const longArgumentCharacters = 300;
// Of a longer result the ends are read.
const headCharacters = 12_000;
const tailCharacters = 4_000;
const mostResultCharacters = 250_000;

/**
 * The sums of all names of a history so far, as a map that can be added to. `used`: ordinal of the newest message that
 * says the name or uses it in a short argument, -1 where none does.
 */
export type NameSums = Map<string, { weight: number; place: number; last: number; used: number }>;

export function nameSums(previous: readonly NameSum[] = []): NameSums {
  return new Map(previous.map(({ name, ...sum }) => [name, { ...sum, used: -1 }]));
}

/**
 * Adds the names of messages. Of a history that is opened when it is much larger than a window, the newest results are
 * read, and before them what was said and short arguments: the index has no room for more.
 */
export function addNames(sums: NameSums, entries: readonly Entry[]): void {
  let left = mostResultCharacters;
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index] as Entry;
    visitTexts(entry, (written, source) => {
      const text = withoutEscapes(source === 'result' ? spokenResult(written) : written);
      const isLong = source !== 'text' && (source !== 'argument' || text.length > longArgumentCharacters);
      if (isLong) left -= Math.min(text.length, headCharacters + tailCharacters);
      if (isLong && left < 0) return;
      const { ordinal } = entry;
      const isUse = source === 'text' || (source === 'argument' && !isLong);
      addText(sums, text, { weight: weightOf(text, source), ordinal, used: isUse ? ordinal : -1 });
    });
  }
}

interface Mention {
  readonly weight: number;
  readonly ordinal: number;
  readonly used: number;
}

function addText(sums: NameSums, text: string, { weight, ordinal, used }: Mention): void {
  for (const part of readParts(text)) {
    visitNames(part, (name) => {
      const sum = sums.get(name);
      if (!sum) {
        sums.set(name, { weight, place: weight * ordinal, last: ordinal, used });
        return;
      }
      sum.weight += weight;
      sum.place += weight * ordinal;
      sum.last = Math.max(sum.last, ordinal);
      sum.used = Math.max(sum.used, used);
    });
  }
}

function readParts(text: string): string[] {
  return text.length <= headCharacters + tailCharacters
    ? [text]
    : [text.slice(0, headCharacters), text.slice(-tailCharacters)];
}

function weightOf(text: string, source: TextSource): number {
  if (source === 'argument') return text.length <= longArgumentCharacters ? shortArgumentWeight : 1;
  return source === 'text' ? textWeight : 1;
}

/** Σ over the mentions of (1 + place in the history, from 0 to 1). */
function scoreOf({ name, weight, place }: NameSum, historyEnd: number): number {
  return (
    (weight + place / Math.max(1, historyEnd)) *
    (weight < shortArgumentWeight && bareNumber.test(name) ? numberShare : 1)
  );
}

// A number by itself says little to a reader; one that was an argument may be one again.
const bareNumber = /^[\d.]+$/;
const numberShare = 0.4;

/** The best of them, so that a checkpoint stays small. */
export function boundedSums(sums: NameSums, historyEnd: number, most: number): NameSum[] {
  const all: NameSum[] = [];
  sums.forEach(({ weight, place, last }, name) => all.push({ name, weight, place, last }));
  return all.length <= most ? all : bestOf(all, historyEnd, most);
}

/** So many of the names, best first. Each is weighed once, and only those that are as good as the last of them are sorted. */
function bestOf(names: readonly NameSum[], historyEnd: number, most: number): NameSum[] {
  const scores = new Float64Array(names.length);
  names.forEach((sum, at) => void (scores[at] = scoreOf(sum, historyEnd)));
  const least = scores.toSorted()[Math.max(0, names.length - most)] ?? 0;
  const best: { readonly sum: NameSum; readonly score: number }[] = [];
  names.forEach((sum, at) => {
    const score = scores[at] ?? 0;
    if (score >= least) best.push({ sum, score });
  });
  best.sort((a, b) => b.score - a.score || (a.sum.name < b.sum.name ? -1 : 1));
  return best.slice(0, most).map(({ sum }) => sum);
}
