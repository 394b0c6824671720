import { answerRecall } from '@throughline/adapters/following';
import { countText, scriptAwareEstimator } from '@throughline/core';
import { withDoubt } from '../manage/answer-limit.ts';
import type { Snapshot } from '@throughline/adapters/following';

/** Said where the window leaves no room for what was asked for. */
export const noRoomText =
  'There is no room left in the context window for what was asked for. Go on with what you have.';

// The page of the tool is a fifth of the window that it is told, and is not made smaller than 500 characters.
const pageShare = 0.2;
const leastWindowTokens = 800;

/** The answer to a call of the recall tool that takes at most so many tokens. Never throws. */
export function recallWithin(
  { transcript, windowTokens }: Snapshot,
  input: unknown,
  roomTokens: number,
): string {
  let text = '';
  let told = Math.min(windowTokens, Math.floor(roomTokens / pageShare));
  do {
    text = answerRecall(transcript, input, told);
    if (tokensOf(text) <= roomTokens) return text;
    told = Math.floor(told / 2);
  } while (told >= leastWindowTokens);
  return firstLines(text, roomTokens) ?? noRoomText;
}

/** What a text takes at most, as far as can be told without asking. */
export function tokensOf(text: string): number {
  return withDoubt(countText(text, scriptAwareEstimator));
}

/** What was found, as far as it fits; `undefined` where it is no list, or not even its first line does. */
function firstLines(text: string, roomTokens: number): string | undefined {
  const lines = text.split('\n');
  if (!foundLine.test(text)) return undefined;
  for (let shown = lines.length - 1; shown > 0; shown -= 1) {
    const list = [...lines.slice(0, shown), `[${lines.length - shown} more: search for rarer words]`].join(
      '\n',
    );
    if (tokensOf(list) <= roomTokens) return list;
  }
  return undefined;
}

const foundLine = /^m\d+(?:\.\d+)? \(/;
