import { ownWords } from '../transcript/own-words.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { shortenedText } from './placeholder.ts';
import type { CarriedMessage } from '../transcript/summary-record.ts';
import type { Entry } from '../transcript/entry.ts';
import type { FoldSource, SummaryLimits } from './fold-source.ts';

/** Of the summary message, where the task is written into it. */
const taskShare = 0.4;

/** The task for the record, where it is folded or was before: no later fold may have its message at hand. */
export function carryTask(source: FoldSource, limits: SummaryLimits): CarriedMessage | undefined {
  const { task, isTaskFolded, previous } = source;
  return task && isTaskFolded === true ? taskWords(task, limits) : previous?.task;
}

/** The words of the task within their share of a summary: beyond it head and tail. */
export function taskWords(task: Entry, { estimator, totalTokens }: SummaryLimits): CarriedMessage {
  const text = ownWords(task).trim().toWellFormed();
  const recallId = messageRecallId(task.ordinal);
  const shown = shortenedText(text, {
    recallId,
    originalTokens: estimator.count(text),
    maxTokens: Math.max(20, totalTokens * taskShare),
    hasRecall: false,
    estimator,
    of: 'text',
  });
  return { recallId, text: shown, isShortened: shown !== text };
}
