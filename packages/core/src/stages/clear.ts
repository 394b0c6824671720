import { clearableParts } from './clearable-parts.ts';
import { clearedArgumentText, clearedResultText } from '../summary/placeholder.ts';
import { longArguments } from './long-arguments.ts';
import { partChangeBase } from './part-change.ts';
import { partRecallId } from '../transcript/entry.ts';
import { resultText } from '../transcript/entry-text.ts';
import { seenTokens } from '../changes/view.ts';
import type { CallPart, ResultPart } from '../transcript/entry.ts';
import type { ChangeReason, PartLevelChange } from '../changes/change.ts';
import type { Argument, LongArgument } from './long-arguments.ts';
import type { StageInput } from './stage-input.ts';
import type { ViewPart } from './part-change.ts';

export interface ClearOptions {
  /** Stop when what the model has seen is down to this. */
  readonly targetTokens: number;
  /** Newest tool output that stays, beside what the model has not seen. */
  readonly keepTokens: number;
  /** Do nothing at all unless at least this is gained. */
  readonly leastGainTokens: number;
  /** Do nothing unless the target is reached: a fold follows that makes room by itself. */
  readonly onlyIfEnough: boolean;
}

const placeholderShare = 0.1;
const maxPlaceholderTokens = 300;
const placeholderOverheadTokens = 30;

/**
 * Rung 2: replaces old results, and long arguments of old calls, by placeholders; repeated reads first, then oldest
 * first, until the target is reached. Never the call, nothing pinned, nothing the model has not seen, nothing folded.
 */
export function clear(input: StageInput, options: ClearOptions): PartLevelChange[] {
  const needTokens = seenTokens(input.view) - options.targetTokens;
  if (needTokens <= 0) return [];
  const parts = clearableParts(input, options.keepTokens);
  const gain = parts.reduce((sum, { view }) => sum + leastGain(view), 0);
  if (gain < options.leastGainTokens || (options.onlyIfEnough && gain < needTokens)) return [];
  const ordered = [
    ...parts.filter(({ isRepeated }) => isRepeated),
    ...parts.filter((part) => !part.isRepeated),
  ];
  const changes: PartLevelChange[] = [];
  let gained = 0;
  for (const { view, isRepeated } of ordered) {
    if (gained >= needTokens) break;
    const change = clearPart(input, view, isRepeated ? 'duplicate' : 'old-output');
    if (!change || change.afterTokens >= view.tokens) continue;
    gained += view.tokens - change.afterTokens;
    changes.push(change);
  }
  return changes;
}

/** What clearing a part gains at least; of a call, what its long arguments are is only known by reading it. */
function leastGain({ part, tokens }: ViewPart): number {
  if (part.type === 'call' && longArguments(part).length === 0) return 0;
  return Math.max(
    0,
    tokens - Math.min(tokens * placeholderShare, maxPlaceholderTokens) - placeholderOverheadTokens,
  );
}

function clearPart(input: StageInput, view: ViewPart, reason: ChangeReason): PartLevelChange | undefined {
  if (view.part.type === 'result') return clearResult(input, view, view.part, reason);
  return view.part.type === 'call' ? clearArguments(input, view, view.part) : undefined;
}

function clearResult(
  input: StageInput,
  view: ViewPart,
  part: ResultPart,
  reason: ChangeReason,
): PartLevelChange {
  const original = resultText(part);
  const text = clearedResultText(original, {
    recallId: partRecallId(view.item.entry.ordinal, view.index),
    tokens: Math.round(view.fullTokens),
    hasRecall: input.hasRecall,
    estimator: input.estimator,
  });
  const overhead = Math.max(0, view.fullTokens - input.estimator.count(original));
  // An image in the result is part of what goes; only the frame of the result itself stays.
  const afterTokens = input.estimator.count(text) + Math.min(overhead, frameTokens);
  return { type: 'result-cleared', text, ...partChangeBase(view, reason, afterTokens) };
}

const frameTokens = 8;

function clearArguments(input: StageInput, view: ViewPart, part: CallPart): PartLevelChange | undefined {
  const long = longArguments(part);
  if (long.length === 0) return undefined;
  const values = long.flatMap((argument) => clearedArgument(input, view, argument));
  const originals = long.flatMap(({ text, also }) => [text, ...also.map((other) => other.text)]);
  const count = (text: string): number => input.estimator.count(text);
  const saved =
    originals.reduce((sum, text) => sum + count(text), 0) -
    values.reduce((sum, { text }) => sum + count(text), 0);
  const afterTokens = Math.max(0, view.fullTokens - saved);
  return { type: 'arguments-cleared', values, ...partChangeBase(view, 'old-arguments', afterTokens) };
}

/** What stands in the place of strings that an earlier placeholder speaks for: their places keep their type. */
const ellipsis = '…';

function clearedArgument(
  { estimator, hasRecall }: StageInput,
  view: ViewPart,
  { at, text: own, also }: LongArgument,
): Argument[] {
  const original = [own, ...also.map(({ text }) => text)].join('\n');
  const text = clearedArgumentText(original, {
    recallId: partRecallId(view.item.entry.ordinal, view.index),
    tokens: Math.round(estimator.count(original)),
    hasRecall,
    estimator,
  });
  return [{ at, text }, ...also.map((other) => ({ at: other.at, text: ellipsis }))];
}
