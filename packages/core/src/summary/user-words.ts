import { quoted } from './quoted.ts';
import { rulesOf } from './rules-of.ts';
import { shortenedText } from './placeholder.ts';
import type { CarriedMessage, SummaryRecord } from '../transcript/summary-record.ts';
import type { Estimator } from '../tokens/estimator.ts';

export interface UserWordsOptions {
  readonly maxTokens: number;
  readonly hasRecall: boolean;
  readonly estimator: Estimator;
}

const title = "## User's Other Messages (word for word, oldest first)";
const frameTokens = 24;
// A message cut shorter than this says less than that it is archived.
const leastShortenedTokens = 80;
// Of what is left; the rest is for shorter messages before it.
const shortenedShare = 0.5;
// Of the room, for what does not fit whole.
const cutShare = 0.25;

/**
 * The section with what the user said beside task and latest request: newest first into the space there is, the oldest
 * give way; of the last one that has a place only head and tail may fit. Empty when nothing of it does.
 */
export function userWords(
  { userMessages, omittedUserMessages }: SummaryRecord,
  options: UserWordsOptions,
): string {
  const { maxTokens, estimator } = options;
  const spare = estimator.count(title) + 20;
  const newestFirst = userMessages.toReversed();
  const kept = fittingLines(newestFirst, { ...options, maxTokens: maxTokens - spare });
  const omitted = omittedUserMessages + userMessages.length - kept.length;
  if (kept.length === 0 && (omitted === 0 || maxTokens < spare)) return '';
  const left = omitted === 0 ? [] : [`(${omitted} more of the user's messages are archived only.)`];
  return [title, ...left, ...kept.toReversed()].join('\n');
}

/**
 * Each whole while it fits; of those that do not, the rules, and of the first of them without rules head and tail.
 * Where not all fit, a part of the room is for that.
 */
function fittingLines(newestFirst: readonly CarriedMessage[], options: UserWordsOptions): string[] {
  const cost = (line: string): number => options.estimator.count(line) + 1;
  const all = newestFirst.map((message) => ({ message, whole: messageLine(message) }));
  const total = all.reduce((sum, { whole }) => sum + cost(whole), 0);
  const reserve = total > options.maxTokens ? options.maxTokens * cutShare : 0;
  const lines: string[] = [];
  let left = options.maxTokens;
  let isCut = false;
  for (const { message, whole } of all) {
    const fits = cost(whole) <= left - reserve;
    const line = fits ? whole : (rulesLine(message) ?? (isCut ? whole : cutLine(message, left, options)));
    isCut ||= !fits;
    if (line === undefined || cost(line) > left) continue;
    left -= cost(line);
    lines.push(line);
  }
  return lines;
}

function rulesLine(message: CarriedMessage): string | undefined {
  const rules = rulesOf(message);
  return rules && messageLine(rules);
}

function cutLine(message: CarriedMessage, leftTokens: number, options: UserWordsOptions): string | undefined {
  return shortenedLine(message, { ...options, maxTokens: leftTokens * shortenedShare });
}

function messageLine({ recallId, text, isShortened }: CarriedMessage): string {
  return quoted({ tag: 'user-message', id: recallId, text, isShortened });
}

/** Head and tail of a message that does not fit whole; `undefined` where not even those say anything. */
function shortenedLine(
  { recallId, text }: CarriedMessage,
  { maxTokens, hasRecall, estimator }: UserWordsOptions,
): string | undefined {
  if (maxTokens < leastShortenedTokens) return undefined;
  const shown = shortenedText(text, {
    recallId,
    originalTokens: estimator.count(text),
    maxTokens: maxTokens - frameTokens,
    hasRecall,
    estimator,
    of: 'text',
  });
  const line = messageLine({ recallId, text: shown, isShortened: true });
  return estimator.count(line) <= maxTokens ? line : undefined;
}
