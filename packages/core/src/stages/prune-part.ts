import { prunedArgumentText, prunedResultText, prunedText, placeholderLine } from '../summary/placeholder.ts';
import { callOf } from './call-of.ts';
import { isFailedResult, lastErrorLine } from '../timeline/failed-result.ts';
import { longArguments } from './long-arguments.ts';
import { partChangeBase } from './part-change.ts';
import { partRecallId } from '../transcript/entry.ts';
import { resultText } from '../transcript/entry-text.ts';
import type { Argument, LongArgument } from './long-arguments.ts';
import type { CallPart, ResultPart, TextPart } from '../transcript/entry.ts';
import type { ChangeReason, PartLevelChange } from '../changes/change.ts';
import type { PlaceholderKind } from '../summary/placeholder.ts';
import type { StageInput } from './stage-input.ts';
import type { ViewPart } from './part-change.ts';

export interface PruneAs {
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
  const options = { ...optionsOf(input, view), tokens: Math.round(view.fullTokens) };
  const text =
    words === undefined
      ? `${prunedResultText(original, options)}${failureOf(input, view, part)}`
      : withWords('shortened result', words, options);
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
  const options = { ...optionsOf(input, view), tokens: Math.round(input.estimator.count(original)) };
  const text =
    words === undefined
      ? prunedArgumentText(original, options)
      : withWords('cleared argument', words, options);
  return [{ at, text }, ...also.map((other) => ({ at: other.at, text: ellipsis }))];
}

function pruneText(
  input: StageInput,
  view: ViewPart,
  part: TextPart,
  { reason, words }: PruneAs,
): PartLevelChange {
  const options = { ...optionsOf(input, view), tokens: Math.round(view.fullTokens) };
  const text =
    words === undefined ? prunedText(part.text, options) : withWords('shortened text', words, options);
  return { type: 'text-truncated', text, ...partChangeBase(view, reason, input.estimator.count(text)) };
}

type Options = Parameters<typeof prunedText>[1];

function optionsOf({ estimator, hasRecall }: StageInput, { item, index }: ViewPart): Omit<Options, 'tokens'> {
  return { recallId: partRecallId(item.entry.ordinal, index), hasRecall, estimator };
}

function withWords(kind: PlaceholderKind, words: string, { recallId, tokens, hasRecall }: Options): string {
  return `${words}\n${placeholderLine(kind, recallId, `${tokens} tokens`, hasRecall)}`.toWellFormed();
}
