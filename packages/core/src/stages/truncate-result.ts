import { partChangeBase } from './part-change.ts';
import { partRecallId } from '../transcript/entry.ts';
import { nameList, placeholderLine, truncatedText } from '../summary/placeholder.ts';
import { resultText } from '../transcript/entry-text.ts';
import type { PartLevelChange } from '../changes/change.ts';
import type { ResultPart } from '../transcript/entry.ts';
import type { StageInput } from './stage-input.ts';
import type { ViewPart } from './part-change.ts';

export interface TruncateResult {
  readonly part: ResultPart;
  /** The text to start from: the result's own, or what its tool's limits left of it. */
  readonly text: string;
  readonly maxTokens: number;
  readonly reason: 'truncation' | 'space';
  /** `false`: the media go whatever room there is. @default they stay where they fit beside the text */
  readonly keepMedia?: false;
}

/** Truncates a result to `maxTokens`; its media stay where they fit beside the text. */
export function truncateResult(
  input: StageInput,
  view: ViewPart,
  options: TruncateResult,
): PartLevelChange | undefined {
  const { part, maxTokens, reason } = options;
  const original = resultText(part);
  const besideText = Math.max(0, view.fullTokens - input.estimator.count(original));
  const keepMedia = options.keepMedia !== false && besideText <= maxTokens * 0.75;
  const frame = keepMedia ? besideText : Math.min(besideText, 8);
  const recallId = partRecallId(view.item.entry.ordinal, view.index);
  const details = `shortened by the limits of its tool, ${Math.round(view.fullTokens)} tokens in all`;
  const note = placeholderLine('shortened result', recallId, details, input.hasRecall);
  // A result of media alone has no text to keep: what goes is at least named.
  const truncate = (textTokens: number): string =>
    truncatedText(options.text === original ? original : `${options.text}\n${note}`, {
      recallId,
      originalTokens: Math.round(view.fullTokens),
      maxTokens: textTokens,
      hasRecall: input.hasRecall,
      estimator: input.estimator,
    });
  const text =
    original === '' && options.text === ''
      ? note
      : withIndex(input, { original, truncate, maxTokens: Math.max(20, maxTokens - frame) });
  const afterTokens = input.estimator.count(text) + frame;
  if (afterTokens >= view.tokens) return undefined;
  return { type: 'result-truncated', text, keepMedia, ...partChangeBase(view, reason, afterTokens) };
}

interface Indexed {
  readonly original: string;
  readonly truncate: (textTokens: number) => string;
  readonly maxTokens: number;
}

// Below this the beginning and the end of the text say more than an index would.
const leastIndexedTokens = 200;
// Of what is left out of a result, what later steps come back to is its names: replay at 80k, far recall .85 → .99.
const indexShare = 0.05;
const maxIndexTokens = 1_000;
const indexTitle = '[names in what was left out] ';

/** Head and tail of a text, and an index of what the middle named, all within `maxTokens`. */
function withIndex({ estimator }: StageInput, { original, truncate, maxTokens }: Indexed): string {
  const bare = truncate(maxTokens);
  if (maxTokens < leastIndexedTokens || bare === original) return bare;
  const room = Math.min(maxIndexTokens, maxTokens * indexShare) - estimator.count(indexTitle);
  const text = truncate(maxTokens - room - 1);
  const index = nameList(original, { maxTokens: room, estimator, known: text });
  return index === '' ? bare : `${text}\n${indexTitle}${index}`.toWellFormed();
}
