import { quoted } from './quoted.ts';
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

/** Each whole while it fits; the first that does not is shortened, and of the rest those come that fit beside it. */
function fittingLines(newestFirst: readonly CarriedMessage[], options: UserWordsOptions): string[] {
  const lines: string[] = [];
  let leftTokens = options.maxTokens;
  let isShort = false;
  for (const message of newestFirst) {
    const whole = messageLine(message);
    const fits = options.estimator.count(whole) + 1 <= leftTokens;
    const line =
      fits || isShort
        ? whole
        : shortenedLine(message, { ...options, maxTokens: leftTokens * shortenedShare });
    isShort ||= !fits;
    if (line === undefined || options.estimator.count(line) + 1 > leftTokens) continue;
    leftTokens -= options.estimator.count(line) + 1;
    lines.push(line);
  }
  return lines;
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
