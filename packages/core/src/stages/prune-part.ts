import type { PlaceholderKind } from '../summary/placeholder.ts';
import { placeholderLine, prunedText } from '../summary/placeholder.ts';
import type { StageInput, ViewPart } from './stage-input.ts';
import { callOf, partChangeBase } from './stage-input.ts';
import { isFailedResult, lastErrorLine } from '../facts/failures.ts';
import type { CallPart, ResultPart, TextPart } from '../transcript/entry.ts';
import { callInputValue, resultText } from '../transcript/entry-text.ts';
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
  const originals = long.flatMap(({ text, also }) => [text, ...also.map((other) => other.text)]);
  const count = (text: string): number => input.estimator.count(text);
  const saved =
    originals.reduce((sum, text) => sum + count(text), 0) -
    values.reduce((sum, { text }) => sum + count(text), 0);
  const afterTokens = Math.max(0, view.fullTokens - saved);
  return { type: 'arguments-pruned', values, ...partChangeBase(view, reason, afterTokens) };
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
  { at, text: own, also }: LongArgument,
  words: string | undefined,
): Argument[] {
  const original = [own, ...also.map(({ text }) => text)].join('\n');
  const fullTokens = input.estimator.count(original);
  const text = replacement(input, view, { kind: 'cleared argument', original, fullTokens, words });
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

/** A string of a call's input. */
interface Argument {
  /** From the root of the call's input; empty where the input is one text. */
  readonly at: Path;
  readonly text: string;
}

interface LongArgument extends Argument {
  /** Strings that are short each and long together: one placeholder, in the place of the first, stands for all. */
  readonly also: readonly Argument[];
}

/** Shorter values stay: they are paths, commands, flags: what tells one call from another. In UTF-16 code units. */
const longArgumentLength = 400;

/** What short values keep together where there are more of them: outer ones first, then the shortest. */
const shortArgumentsLength = 2 * longArgumentLength;

const maxDepth = 64;

/**
 * The strings of a call's input that are long, by themselves or together: file bodies, patches, pasted text, lists of
 * edits. Empty where the input is JSON text that does not parse, because an edit could not say where they are.
 */
export function longArguments(call: CallPart): LongArgument[] {
  if (call.input.type === 'text' && call.input.text.length < longArgumentLength) return [];
  const root = callInputValue(call);
  // A text that is no JSON: what a custom tool takes is a value.
  if (typeof root === 'string' && call.input.type === 'text') return [];
  const found: Argument[] = [];
  collect(root, [], found);
  const long = found.filter(({ text }) => text.length >= longArgumentLength);
  const [first, ...also] = longTogether(found.filter(({ text }) => text.length < longArgumentLength));
  return [...long.map((one) => ({ ...one, also: [] })), ...(first ? [{ ...first, also }] : [])];
}

function collect(value: unknown, at: Path, found: Argument[]): void {
  if (typeof value === 'string') {
    found.push({ at, text: value });
    return;
  }
  if (typeof value !== 'object' || value === null || at.length >= maxDepth) return;
  if (Array.isArray(value)) value.forEach((item, index) => collect(item, [...at, index], found));
  else for (const [key, item] of Object.entries(value)) collect(item, [...at, key], found);
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
