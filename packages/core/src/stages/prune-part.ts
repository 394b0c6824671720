import type { PlaceholderKind } from '../summary/placeholder.ts';
import { placeholderLine, prunedText, truncatedText } from '../summary/placeholder.ts';
import type { StageInput, ViewPart } from './stage-input.ts';
import { callOf, partChangeBase } from './stage-input.ts';
import { isFailedResult, lastErrorLine } from '../facts/failures.ts';
import type { CallPart, ResultPart, TextPart } from '../transcript/entry.ts';
import { callInputText, callInputValue, isVast, jsonText, resultText } from '../transcript/entry-text.ts';
import { countValue } from '../tokens/measure-entry.ts';
import { levelWithin, truncateResult, withIndex } from './shrink-parts.ts';
import { editText } from '../json/edit-object.ts';
import { textEdits } from '../json/json.ts';
import type { ChangeReason, PartLevelChange } from '../changes/change.ts';
import type { Path } from '../json/json.ts';

interface PruneAs {
  readonly reason: ChangeReason;
  /** What is shown in front of the placeholder, in the place of its index. */
  readonly words?: string;
}

/**
 * Replaces a part by its placeholder: a result, the long arguments of a call, or a text. `undefined` where there is
 * nothing to prune. What the placeholder costs may be more than the part does: the caller compares.
 */
export function prunePart(input: StageInput, view: ViewPart, as: PruneAs): PartLevelChange | undefined {
  const { part } = view;
  if (part.type === 'result') return pruneResult(input, view, part, as);
  if (part.type === 'call') return pruneArguments(input, view, part, as);
  return part.type === 'text' ? pruneText(input, view, part, as) : undefined;
}

const frameTokens = 8;

function pruneResult(
  input: StageInput,
  view: ViewPart,
  part: ResultPart,
  { reason, words }: PruneAs,
): PartLevelChange {
  const original = resultText(part);
  const { fullTokens } = view;
  const text =
    words === undefined
      ? `${replacement(input, view, { kind: 'cleared result', original, fullTokens })}${failureOf(input, view, part)}`
      : replacement(input, view, { kind: 'shortened result', original, fullTokens, words });
  const overhead = Math.max(0, view.fullTokens - input.estimator.count(original));
  // An image in the result is part of what goes; only the frame of the result itself stays.
  const afterTokens = input.estimator.count(text) + Math.min(overhead, frameTokens);
  const base = partChangeBase(view, reason, afterTokens);
  return words === undefined
    ? { type: 'result-pruned', text, ...base }
    : { type: 'result-truncated', text, keepMedia: false, ...base };
}

/** What went wrong stays, in one line: an error that nothing has settled yet is what the next step is about. */
function failureOf(input: StageInput, { item }: ViewPart, part: ResultPart): string {
  const failed = isFailedResult(part, callOf(input.view, item.position, part));
  return failed ? `\nIt failed: ${lastErrorLine(part)}` : '';
}

function pruneArguments(
  input: StageInput,
  view: ViewPart,
  part: CallPart,
  { reason, words }: PruneAs,
): PartLevelChange | undefined {
  const long = longArguments(part);
  if (long.length === 0) return undefined;
  const longest = words === undefined ? undefined : longestOf(long);
  const values = long.flatMap((argument) =>
    prunedArgument(input, view, argument, argument === longest ? words : undefined),
  );
  const saved = savedInText(input, part, values) ?? savedInValue(input, long, values);
  const afterTokens = Math.max(0, view.fullTokens - saved);
  return { type: 'arguments-pruned', values, ...partChangeBase(view, reason, afterTokens) };
}

/** What goes with members of JSON text: they cost what stands between them too, and most of it where it is laid out in lines. */
function savedInText(
  { estimator }: StageInput,
  part: CallPart,
  values: readonly ShownArgument[],
): number | undefined {
  if (part.input.type !== 'text' || !values.some(({ more }) => more !== undefined)) return undefined;
  const root = callInputValue(part);
  const text = editText(
    part.input.text,
    values.flatMap((value) => textEdits(root, value)),
  );
  return text === undefined ? undefined : estimator.count(part.input.text) - estimator.count(text);
}

/** Less of a text than this says no more than the names in it do. */
const leastShownTokens = 200;

/**
 * A result, or the long arguments of a call, in so many tokens: their heads and tails stay. `undefined` where that is too
 * little to be read.
 */
export function truncatePart(
  input: StageInput,
  view: ViewPart,
  maxTokens: number,
): PartLevelChange | undefined {
  const { part } = view;
  if (maxTokens < leastShownTokens) return undefined;
  if (part.type === 'result')
    return truncateResult(input, view, { part, text: resultText(part), maxTokens, reason: 'space' });
  return part.type === 'call' ? truncateCall(input, view, part, maxTokens) : undefined;
}

function truncateCall(
  input: StageInput,
  view: ViewPart,
  part: CallPart,
  maxTokens: number,
): PartLevelChange | undefined {
  const { estimator } = input;
  if (isCutOff(part)) return undefined;
  const long = longArguments(part);
  const sizes = long.map(({ text }) => estimator.count(text));
  const short = view.fullTokens - sizes.reduce((sum, tokens) => sum + tokens, 0);
  const level = levelWithin(sizes, maxTokens - short);
  if (level < leastShownTokens) return undefined;
  const gone = long.filter((_, at) => (sizes[at] ?? 0) > level);
  const values = gone.flatMap((argument) =>
    argument.run || argument.also.length > 0
      ? prunedArgument(input, view, argument, undefined)
      : [{ at: argument.at, text: truncatedArgument(input, view, argument.text, level) }],
  );
  const saved = savedInText(input, part, values) ?? savedInValue(input, gone, values);
  const afterTokens = Math.max(0, view.fullTokens - saved);
  return afterTokens >= view.tokens
    ? undefined
    : { type: 'arguments-pruned', values, ...partChangeBase(view, 'space', afterTokens) };
}

/** JSON that does not parse: no tool has had these arguments. */
function isCutOff(part: CallPart): boolean {
  return typeof callInputValue(part) === 'string' && /^\s*[{[]/.test(callInputText(part));
}

function truncatedArgument(
  input: StageInput,
  { recallId }: ViewPart,
  original: string,
  maxTokens: number,
): string {
  const { estimator, hasRecall } = input;
  const originalTokens = Math.round(estimator.count(original));
  const truncate = (tokens: number): string =>
    truncatedText(original, {
      recallId,
      originalTokens,
      maxTokens: tokens,
      hasRecall,
      estimator,
      of: 'argument',
    });
  return withIndex(input, { original, truncate, maxTokens });
}

function savedInValue(
  { estimator }: StageInput,
  long: readonly LongArgument[],
  values: readonly ShownArgument[],
): number {
  const tokens = long.map(({ text, also, run }) =>
    run
      ? countValue(run.members, estimator)
      : [text, ...also.map((other) => other.text)].reduce((sum, one) => sum + estimator.count(one), 0),
  );
  const shown = values.map(({ text }) => estimator.count(text));
  return tokens.reduce((sum, one) => sum + one, 0) - shown.reduce((sum, one) => sum + one, 0);
}

function longestOf(long: readonly LongArgument[]): LongArgument | undefined {
  return long.reduce<LongArgument | undefined>(
    (longest, argument) => (longest && longest.text.length >= argument.text.length ? longest : argument),
    undefined,
  );
}

/** What stands in the place of strings that an earlier placeholder speaks for: their places keep their type. */
const ellipsis = '…';

function prunedArgument(
  input: StageInput,
  view: ViewPart,
  { at, text: own, also, run }: LongArgument,
  words: string | undefined,
): ShownArgument[] {
  const original = [own, ...also.map(({ text }) => text)].join('\n');
  const kind = 'cleared argument';
  const fullTokens = input.estimator.count(original);
  if (run && words === undefined) {
    const details = `${run.more + 1} values, ${Math.round(fullTokens)} tokens`;
    return [{ at, text: placeholderLine(kind, view.recallId, details, input.hasRecall), more: run.more }];
  }
  const text = replacement(input, view, { kind, original, fullTokens, words });
  if (run) return [{ at, text, more: run.more }];
  return [{ at, text }, ...also.map((other) => ({ at: other.at, text: ellipsis }))];
}

function pruneText(
  input: StageInput,
  view: ViewPart,
  part: TextPart,
  { reason, words }: PruneAs,
): PartLevelChange {
  const { fullTokens } = view;
  const text = replacement(input, view, { kind: 'shortened text', original: part.text, fullTokens, words });
  return { type: 'text-truncated', text, ...partChangeBase(view, reason, input.estimator.count(text)) };
}

interface Replaced {
  readonly kind: PlaceholderKind;
  readonly original: string;
  readonly fullTokens: number;
  readonly words?: string | undefined;
}

/** The placeholder, with words in front of it, or with an index of the original. */
function replacement(
  { estimator, hasRecall }: StageInput,
  { recallId }: ViewPart,
  { kind, original, fullTokens, words }: Replaced,
): string {
  const tokens = Math.round(fullTokens);
  if (words === undefined) return prunedText(kind, original, { recallId, tokens, hasRecall, estimator });
  return `${words}\n${placeholderLine(kind, recallId, `${tokens} tokens`, hasRecall)}`.toWellFormed();
}

interface LongArgument extends Argument {
  /** Strings that are short each and long together: one placeholder, in the place of the first, stands for all. */
  readonly also: readonly Argument[];
  /** The middle of a list or object of many values: `at` is its first member, `text` is all of it as JSON. */
  readonly run?: { readonly more: number; readonly members: unknown };
}

/** What stands in the place of an argument, and of so many members behind it. */
type ShownArgument = Argument & { readonly more?: number };

/** A string of a call's input. */
interface Argument {
  /** From the root of the call's input; empty where the input is one text. */
  readonly at: Path;
  readonly text: string;
}

/** Shorter values stay: they are paths, commands, flags: what tells one call from another. In UTF-16 code units. */
const longArgumentLength = 400;

/** What short values keep together where there are more of them: outer ones first, then the shortest. */
const shortArgumentsLength = 2 * longArgumentLength;

const maxDepth = 64;

/**
 * What of a call's input is long, by itself or together: file bodies, patches, pasted text, lists of edits, and the middle
 * of lists and objects of very many values. JSON text that does not parse, as of a call that was cut off, is one text.
 */
export function longArguments(call: CallPart): LongArgument[] {
  if (call.input.type === 'text' && call.input.text.length < longArgumentLength) return [];
  const root = callInputValue(call);
  const found: Found = { strings: [], runs: [], ...(isVast(root) ? { met: new Set<object>() } : {}) };
  collect(root, { at: [], room: mostValues }, found);
  const long = found.strings.filter(({ text }) => text.length >= longArgumentLength);
  const [first, ...also] = longTogether(found.strings.filter(({ text }) => text.length < longArgumentLength));
  return [
    ...long.map((one) => ({ ...one, also: [] })),
    ...(first ? [{ ...first, also }] : []),
    ...found.runs,
  ];
}

interface Found {
  readonly strings: Argument[];
  readonly runs: LongArgument[];
  /** Where the same objects may lie at very many places, those that were met: each is looked at once, as it is counted. */
  readonly met?: Set<object>;
}

// A value costs a token or two, however short it is: of more than so many the middle of their list goes.
const mostValues = 200;
// Of such a list its first and last ones stay, fewer where there is hardly room: each costs a placeholder for what it holds.
const shownMembers = 8;
// Fewer cost less than the placeholder.
const leastGone = 8;

type Member = readonly [key: string | number, value: unknown];

interface ValueRoom {
  readonly at: Path;
  /** So many values may stay. */
  readonly room: number;
}

/** The strings of a value, and the runs that go so that no more of its values stay than there is room for. */
function collect(value: unknown, { at, room }: ValueRoom, found: Found): void {
  if (typeof value === 'string') found.strings.push({ at, text: value });
  if (typeof value !== 'object' || value === null || at.length >= maxDepth) return;
  if (found.met?.has(value)) return;
  found.met?.add(value);
  const members: readonly Member[] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  const isCrowded = countValues(value, room) > room;
  const kept = isCrowded ? withoutMiddle(members, { at, room }, found) : members;
  const sizes = isCrowded ? kept.map(([, item]) => countValues(item, room)) : [];
  const level = levelWithin(sizes, room);
  for (const [key, item] of kept) collect(item, { at: [...at, key], room: level }, found);
}

/** The members at both ends, where there are more than a few: what lies between them goes as one run. */
function withoutMiddle(members: readonly Member[], { at, room }: ValueRoom, found: Found): readonly Member[] {
  const isList = typeof members[0]?.[0] === 'number';
  const shown = Math.max(1, Math.min(shownMembers, Math.floor(room / leastGone)));
  // Of what a call is given by name nothing goes that is not one of very many.
  const most = at.length === 0 && !isList ? Math.max(shown, room) : shown;
  if (members.length <= most) return members;
  const first = Math.ceil(shown / 2);
  const end = members.length - (shown - first);
  const middle = members.slice(first, end);
  const gone = isList ? middle.map(([, item]) => item) : Object.fromEntries(middle);
  if (countValues(gone, leastGone) <= leastGone) return members;
  found.runs.push({
    at: [...at, middle[0]?.[0] ?? 0],
    text: jsonText(gone),
    also: [],
    run: { more: middle.length - 1, members: gone },
  });
  return [...members.slice(0, first), ...members.slice(end)];
}

/** How many values there are in one; where there are more than `most`, some number above that. */
function countValues(value: unknown, most: number, depth = 0): number {
  if (typeof value !== 'object' || value === null || most === Infinity || depth >= maxDepth) return 1;
  let count = 0;
  for (const item of Object.values(value)) {
    count += countValues(item, most - count, depth + 1);
    if (count > most) return count;
  }
  return Math.max(1, count);
}

/** Many short strings: those beyond what they may keep, in their order, where together they are as long as a long one. */
function longTogether(short: readonly Argument[]): Argument[] {
  if (lengthOf(short) < shortArgumentsLength + longArgumentLength) return [];
  const kept = new Set<Argument>();
  let left = shortArgumentsLength;
  const byWorth = short.toSorted((a, b) => a.at.length - b.at.length || a.text.length - b.text.length);
  for (const argument of byWorth) {
    left -= argument.text.length;
    if (left < 0) break;
    kept.add(argument);
  }
  return short.filter((argument) => !kept.has(argument));
}

function lengthOf(args: readonly Argument[]): number {
  return args.reduce((sum, { text }) => sum + text.length, 0);
}
