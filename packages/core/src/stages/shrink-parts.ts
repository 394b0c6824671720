import { editableItems } from './editable-items.ts';
import { droppedMediaText, truncatedText } from '../summary/placeholder.ts';
import { partChangeBase, partsOf } from './part-change.ts';
import { partRecallId } from '../transcript/entry.ts';
import { shareOut } from './share-out.ts';
import { truncateResult } from './truncate-result.ts';
import { resultText } from '../transcript/entry-text.ts';
import type { EntryItem } from '../changes/view.ts';
import type { PartLevelChange } from '../changes/change.ts';
import type { StageInput } from './stage-input.ts';
import type { ViewPart } from './part-change.ts';

/** A truncated part costs at least its note. */
export const shrunkTokens = 40;

/**
 * Truncates parts so that the view comes down to `ceilingTokens`: small ones stay, the largest are cut to one common
 * level, none below its note. `pick` chooses the parts. Empty when the view is below the ceiling already.
 */
export function shrinkParts(
  input: StageInput,
  ceilingTokens: number,
  pick: (view: ViewPart) => boolean,
): PartLevelChange[] {
  const excess = input.view.tokens - ceilingTokens;
  if (excess <= 0) return [];
  const parts = pickParts(input, pick);
  const total = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const level = shareOut(
    parts.map(({ tokens }) => tokens),
    total - excess,
  );
  const maxTokens = Math.max(shrunkTokens, Math.min(level, total));
  return parts.flatMap((view) => (view.tokens > maxTokens ? (shrinkPart(input, view, maxTokens) ?? []) : []));
}

function pickParts(input: StageInput, pick: (view: ViewPart) => boolean): ViewPart[] {
  const parts: ViewPart[] = [];
  for (const item of editableItems(input)) {
    if (item.tokens <= shrunkTokens) continue;
    for (const view of partsOf(input, item)) if (view.tokens > shrunkTokens && pick(view)) parts.push(view);
  }
  return parts;
}

function shrinkPart(input: StageInput, view: ViewPart, maxTokens: number): PartLevelChange | undefined {
  if (view.part.type === 'result') {
    return truncateResult(input, view, {
      part: view.part,
      text: resultText(view.part),
      maxTokens,
      reason: 'space',
    });
  }
  if (view.part.type === 'media') return dropMedia(input, view);
  return view.part.type === 'text' ? truncateText(input, view, view.part.text, maxTokens) : undefined;
}

function truncateText(
  input: StageInput,
  view: ViewPart,
  original: string,
  maxTokens: number,
): PartLevelChange | undefined {
  const text = truncatedText(original, {
    recallId: partRecallId(view.item.entry.ordinal, view.index),
    originalTokens: Math.round(view.fullTokens),
    maxTokens,
    hasRecall: input.hasRecall,
    estimator: input.estimator,
    of: 'text',
  });
  const afterTokens = input.estimator.count(text);
  if (afterTokens >= view.tokens) return undefined;
  return { type: 'text-truncated', text, ...partChangeBase(view, 'oversized', afterTokens) };
}

function dropMedia(input: StageInput, view: ViewPart): PartLevelChange | undefined {
  if (view.part.type !== 'media') return undefined;
  const text = droppedMediaText({
    recallId: partRecallId(view.item.entry.ordinal, view.index),
    mediaType: view.part.mediaType,
    tokens: view.fullTokens,
    hasRecall: input.hasRecall,
  });
  const afterTokens = input.estimator.count(text);
  if (afterTokens >= view.tokens) return undefined;
  return { type: 'media-dropped', text, ...partChangeBase(view, 'space', afterTokens) };
}

/** Whether the part is of a message that the model has not answered yet. */
export function isUnseen(input: StageInput, item: EntryItem): boolean {
  return item.position >= input.view.conversation.answeredEnd;
}
