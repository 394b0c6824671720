import { partChangeBase } from './part-change.ts';
import { partRecallId } from '../transcript/entry.ts';
import { placeholderLine, shortenedText } from '../summary/placeholder.ts';
import { resultText } from '../transcript/entry-text.ts';
import type { PartLevelChange } from '../changes/change.ts';
import type { ResultPart } from '../transcript/entry.ts';
import type { StageInput } from './stage-input.ts';
import type { ViewPart } from './part-change.ts';

export interface ShortenResult {
  readonly part: ResultPart;
  /** The text to start from: the result's own, or what its tool's limits left of it. */
  readonly text: string;
  readonly maxTokens: number;
  readonly reason: 'admission' | 'space';
  /** `false`: the media go whatever room there is. @default they stay where they fit beside the text */
  readonly keepMedia?: false;
}

/** Shortens a result to `maxTokens`; its media stay where they fit beside the text. */
export function shortenResult(
  input: StageInput,
  view: ViewPart,
  options: ShortenResult,
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
  const text =
    original === '' && options.text === ''
      ? note
      : shortenedText(options.text === original ? original : `${options.text}\n${note}`, {
          recallId,
          originalTokens: Math.round(view.fullTokens),
          maxTokens: Math.max(20, maxTokens - frame),
          hasRecall: input.hasRecall,
          estimator: input.estimator,
        });
  const afterTokens = input.estimator.count(text) + frame;
  if (afterTokens >= view.tokens) return undefined;
  return { type: 'result-shortened', text, keepMedia, ...partChangeBase(view, reason, afterTokens) };
}
