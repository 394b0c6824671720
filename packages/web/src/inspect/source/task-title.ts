import { ownWords } from '@throughline/core/internal';
import type { Transcript } from '@throughline/core';

const titleCharacters = 80;

/** What the user said first; clients put texts of their own in front of it. `undefined` where nothing was said. */
export function taskTitle({ conversation: { entries, taskAt } }: Transcript): string | undefined {
  const task = taskAt < 0 ? undefined : entries.at(taskAt);
  const line = task && ownWords(task).slice(0, 2_000).replaceAll(/\s+/g, ' ').trim();
  return line === undefined || line === '' ? undefined : line.slice(0, titleCharacters);
}
