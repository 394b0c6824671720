import type { Measures } from '../budget/measures.ts';

/** What a fold may cost, in estimated tokens. Plain JSON. */
export interface RecordRoom {
  /** The summary message. */
  readonly messageTokens: number;
  /** The index of names and numbers behind it. */
  readonly indexTokens: number;
  /** Both together: the index gives way to the message. */
  readonly totalTokens: number;
}

/** A record shorter than this says nothing. */
export const smallestRecordTokens = 120;

/** The shares of message and index of the budget, within a total that the caller has capped. */
export function recordRoom(
  { summaryMessage, summaryIndex }: Pick<Measures, 'summaryMessage' | 'summaryIndex'>,
  totalTokens: number,
): RecordRoom {
  return {
    messageTokens: Math.min(totalTokens, Math.max(smallestRecordTokens, summaryMessage)),
    indexTokens: Math.min(totalTokens, summaryIndex),
    totalTokens,
  };
}
