import { ownWords } from '../transcript/own-words.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { truncatedText } from './placeholder.ts';
import type { CarriedMessage } from '../transcript/summary.ts';
import type { Entry } from '../transcript/entry.ts';
import type { SummarySource, SummaryLimits } from './summary-source.ts';

/** Of the summary message, where the task is written into it. */
const taskShare = 0.4;

/** The task for the summary, where it is compacted or was before: no later compaction may have its message at hand. */
export function carryTask(source: SummarySource, limits: SummaryLimits): CarriedMessage | undefined {
  const { task, isTaskCompacted, previous } = source;
  return task && isTaskCompacted === true ? taskWords(task, limits) : previous?.task;
}

/** The words of the task within their share of a summary: beyond it head and tail. */
export function taskWords(task: Entry, { estimator, totalTokens }: SummaryLimits): CarriedMessage {
  const text = ownWords(task).trim().toWellFormed();
  const recallId = messageRecallId(task.ordinal);
  const shown = truncatedText(text, {
    recallId,
    originalTokens: estimator.count(text),
    maxTokens: Math.max(20, totalTokens * taskShare),
    hasRecall: false,
    estimator,
    of: 'text',
  });
  return { recallId, text: shown, isTruncated: shown !== text };
}
