import { quoted } from './quoted.ts';
import { rulesOf } from './rules-of.ts';
import { shortenedText } from './placeholder.ts';
import { splitAsides } from './split-asides.ts';
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
 * give way; of the last one that has a place only head and tail may fit. What tools said in the user's place has what
 * the user leaves over. Empty when nothing of it does.
 */
export function userWords(
  { userMessages, omittedUserMessages }: SummaryRecord,
  options: UserWordsOptions,
): string {
  const { maxTokens, estimator } = options;
  const spare = estimator.count(title) + 20;
  const { own, asides } = splitAsides(userMessages.toReversed());
  const { lines, leftTokens } = fittingLines(own, { ...options, maxTokens: maxTokens - spare });
  const omitted = omittedUserMessages + own.length - lines.size;
  let left = leftTokens;
  for (const message of asides) {
    const line = messageLine(message);
    const tokens = estimator.count(line) + 1;
    if (tokens > left) continue;
    left -= tokens;
    lines.set(message, line);
  }
  if (lines.size === 0 && (omitted === 0 || maxTokens < spare)) return '';
  const note = omitted === 0 ? [] : [`(${omitted} more of the user's messages are archived only.)`];
  return [title, ...note, ...userMessages.flatMap((message) => lines.get(message) ?? [])].join('\n');
}

interface FittingLines {
  readonly lines: Map<CarriedMessage, string>;
  readonly leftTokens: number;
}

/**
 * Each whole while it fits; of those that do not, the rules, and of the first of them without rules head and tail.
 * Where not all fit, a part of the room is for that.
 */
function fittingLines(newestFirst: readonly CarriedMessage[], options: UserWordsOptions): FittingLines {
  const cost = (line: string): number => options.estimator.count(line) + 1;
  const all = newestFirst.map((message) => {
    const whole = messageLine(message);
    return { message, whole, tokens: cost(whole) };
  });
  const total = all.reduce((sum, { tokens }) => sum + tokens, 0);
  const reserve = total > options.maxTokens ? options.maxTokens * cutShare : 0;
  const lines = new Map<CarriedMessage, string>();
  let left = options.maxTokens;
  let isCut = false;
  for (const { message, whole, tokens } of all) {
    const fits = tokens <= left - reserve;
    const line = fits ? whole : (rulesLine(message) ?? (isCut ? whole : cutLine(message, left, options)));
    isCut ||= !fits;
    if (line === undefined) continue;
    const spent = line === whole ? tokens : cost(line);
    if (spent > left) continue;
    left -= spent;
    lines.set(message, line);
  }
  return { lines, leftTokens: left };
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
