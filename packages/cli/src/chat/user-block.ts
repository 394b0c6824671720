import type { Block } from './block.ts';

/** Longer messages are shown by their beginning and their end: whoever pasted them knows them. */
const longestChars = 4_000;
const longestLines = 40;
const ofLong = { head: 8, tail: 4 };

/** What the user said or typed. */
export function userBlock(text: string, wanted?: Block['fold']): Block {
  const isLong = text.length > longestChars || text.split('\n', longestLines + 1).length > longestLines;
  const fold = wanted ?? (isLong ? ofLong : undefined);
  return { speaker: 'user', tone: 'heading', mark: '› ', text, ...(fold && { fold }) };
}
