import { cutMiddle } from '../text/cut-text.ts';
import { visitNames } from '../text/names.ts';
import type { Estimator } from '../tokens/estimator.ts';
import type { RecallId } from '../transcript/entry.ts';

/*
 * The grammar, one line in square brackets:
 *
 *   [KIND ID, DETAILS]                            the host offers no recall
 *   [KIND ID, DETAILS; recall "ID" returns it]    it does
 *
 * KIND is one of `placeholderKinds`, ID `m12`, `m12.3` or, for a range, `m12-m40`.
 */

const placeholderKinds = [
  'cleared result',
  'cleared argument',
  'shortened result',
  'shortened argument',
  'shortened text',
  'dropped media',
  'dropped messages',
] as const;

export type PlaceholderKind = (typeof placeholderKinds)[number];

/** A placeholder found in a text. Believe it only when its recall id exists: a text can be forged. */
export interface Placeholder {
  readonly kind: PlaceholderKind;
  readonly recallId: RecallId;
  /** The last message of a range. */
  readonly endRecallId?: RecallId;
}

export interface PlaceholderOptions {
  readonly recallId: RecallId;
  /** Estimated tokens of the original. */
  readonly tokens: number;
  /** The host offers a `recall` tool, so the placeholder may name it. */
  readonly hasRecall: boolean;
  readonly estimator: Estimator;
}

const grammar = new RegExp(
  `\\[(${placeholderKinds.join('|')}) (m\\d{1,15}(?:\\.\\d{1,9})?)(?:-(m\\d{1,15}))?[,\\]]`,
);

/** The first placeholder in a text, wherever it stands; `undefined` when there is none. Linear. */
export function parsePlaceholder(text: string): Placeholder | undefined {
  const match = grammar.exec(text);
  if (!match) return undefined;
  const [, kind, id, endId] = match;
  const found = { kind: kind as PlaceholderKind, recallId: id as RecallId };
  return endId === undefined ? found : { ...found, endRecallId: endId as RecallId };
}

const maxIndexTokens = 300;
const maxIndexShare = 0.1;
// Below this an index names too little to be worth its line.
const minIndexTokens = 6;

/**
 * What stands for a pruned result, argument value or text: its id, its size, and a list of the names in it, of at most
 * 300 tokens and 10 % of the original.
 */
export function prunedText(kind: PlaceholderKind, original: string, options: PlaceholderOptions): string {
  const { recallId, tokens, hasRecall, estimator } = options;
  const line = placeholderLine(kind, recallId, `${Math.round(tokens)} tokens`, hasRecall);
  const maxTokens = Math.min(maxIndexTokens, tokens * maxIndexShare) - 1;
  const index = nameList(original, { maxTokens, estimator, known: '' });
  return index === '' ? line : `${line}\n${index}`.toWellFormed();
}

// The rest of a longer text names nothing that an index of 1 000 tokens would have a place for.
const mostIndexedChars = 1_000_000;

const isNumber = (name: string): boolean => /^[\d.]+$/.test(name);

/**
 * The names in a text that stand nowhere in `known`, which stays in view beside them, in one line: those that are said most
 * often first, numbers last. Empty where there are none.
 */
export function nameList(
  original: string,
  { maxTokens, estimator, known }: { maxTokens: number; estimator: Estimator; known: string },
): string {
  if (maxTokens < minIndexTokens) return '';
  const mentions = new Map<string, number>();
  visitNames(original.slice(0, mostIndexedChars), (name) =>
    mentions.set(name, (mentions.get(name) ?? 0) + 1),
  );
  const chosen: string[] = [];
  let left = maxTokens;
  const ranked = [...mentions].sort(([, times], [, more]) => more - times).map(([name]) => name);
  const numbers = new Set(ranked.filter(isNumber));
  for (const name of [...ranked.filter((one) => !numbers.has(one)), ...numbers]) {
    const cost = estimator.count(name) + 1.5;
    if (cost > left || known.includes(name)) continue;
    left -= cost;
    chosen.push(name);
    if (left < 2) break;
  }
  return chosen.join(', ');
}

export interface TruncateTextOptions {
  readonly recallId: RecallId;
  /** Estimated tokens of the original, of which `text` may already be a part. */
  readonly originalTokens: number;
  /** Most the shortened text may cost, its note included. Below about 20 only the note is left. */
  readonly maxTokens: number;
  readonly hasRecall: boolean;
  readonly estimator: Estimator;
  /** @default 'result' */
  readonly of?: 'result' | 'argument' | 'text';
}

/**
 * A text cut to `maxTokens`: head and tail stay, cut on code points and at line ends where one is near; a note in the
 * middle says what was left out and how to get it. A text that fits is returned as it is.
 */
export function truncatedText(text: string, options: TruncateTextOptions): string {
  const { estimator, maxTokens } = options;
  const totalTokens = estimator.count(text);
  if (totalTokens <= maxTokens) return text;
  const note = (leftOutChars: number): string => truncatedNote(options, leftOutChars);
  const roomTokens = maxTokens - estimator.count(note(text.length)) - 2;
  if (roomTokens < 4) return smallestNote(options, note(text.length));
  let keepChars = Math.floor((text.length * roomTokens) / totalTokens);
  let best = '';
  // Dense and sparse texts differ by a factor of six; a few corrections find the length that fits.
  for (let round = 0; round < 12 && keepChars > 0; round++) {
    const candidate = cutMiddle(text, keepChars, note);
    const tokens = estimator.count(candidate);
    if (tokens <= maxTokens && candidate.length > best.length) best = candidate;
    if (tokens <= maxTokens && (tokens > maxTokens * 0.92 || round > 5)) break;
    const wanted = Math.floor((keepChars * maxTokens * (tokens > maxTokens ? 0.95 : 0.98)) / tokens);
    keepChars = tokens > maxTokens ? Math.min(wanted, keepChars - 1) : Math.min(wanted, text.length - 1);
  }
  return best === '' ? smallestNote(options, note(text.length)) : best;
}

function truncatedNote(
  { recallId, originalTokens, hasRecall, of = 'result' }: TruncateTextOptions,
  chars: number,
): string {
  const details = `${chars} characters left out of ${Math.round(originalTokens)} tokens`;
  return placeholderLine(`shortened ${of}`, recallId, details, hasRecall);
}

function smallestNote(
  { recallId, maxTokens, estimator, of = 'result' }: TruncateTextOptions,
  note: string,
): string {
  return estimator.count(note) <= maxTokens ? note : `[shortened ${of} ${recallId}]`;
}

export interface DroppedMediaOptions {
  readonly recallId: RecallId;
  readonly mediaType: string;
  readonly tokens: number;
  readonly hasRecall: boolean;
}

/** What stands for an image or file that was taken out. */
export function droppedMediaText({ recallId, mediaType, tokens, hasRecall }: DroppedMediaOptions): string {
  const type = mediaType.replace(/[^\w.+*/-]/g, '').slice(0, 60);
  return placeholderLine('dropped media', recallId, `${type}, ${Math.round(tokens)} tokens`, hasRecall);
}

export interface DroppedRangeOptions {
  readonly firstRecallId: RecallId;
  readonly lastRecallId: RecallId;
  readonly messages: number;
  readonly tokens: number;
  readonly hasRecall: boolean;
}

/** What stands for a run of messages that was taken out without a summary. */
export function droppedRangeText(options: DroppedRangeOptions): string {
  const { firstRecallId, lastRecallId, messages, tokens, hasRecall } = options;
  const details = `${messages} messages, ${Math.round(tokens)} tokens`;
  const recall = hasRecall ? '; recall returns each by its id' : '';
  return `[dropped messages ${firstRecallId}-${lastRecallId}, ${details}${recall}]`;
}

/** One line of the grammar. */
export function placeholderLine(
  kind: PlaceholderKind,
  recallId: RecallId,
  details: string,
  hasRecall: boolean,
): string {
  return `[${kind} ${recallId}, ${details}${hasRecall ? `; recall "${recallId}" returns it` : ''}]`;
}
