import { ownWords } from '../transcript/own-words.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { shortenedText } from './placeholder.ts';
import type { CarriedMessage } from '../transcript/summary-record.ts';
import type { FoldSource, SummaryLimits } from './fold-source.ts';

/** Of the summary message, where the task is written into it. */
export const taskShare = 0.4;

/** The task for the record, where it is folded or was before: no later fold may have its message at hand. */
export function carryTask(source: FoldSource, limits: SummaryLimits): CarriedMessage | undefined {
  const { task, isTaskFolded, previous } = source;
  if (!task || isTaskFolded !== true) return previous?.task;
  const text = ownWords(task).trim().toWellFormed();
  const { estimator, messageTokens } = limits;
  const recallId = messageRecallId(task.ordinal);
  const shown = shortenedText(text, {
    recallId,
    originalTokens: estimator.count(text),
    maxTokens: Math.max(20, messageTokens * taskShare),
    hasRecall: false,
    estimator,
    of: 'text',
  });
  return { recallId, text: shown, isShortened: shown !== text };
}
