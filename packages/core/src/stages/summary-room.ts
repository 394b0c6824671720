import type { Measures } from '../budget/measures.ts';

/** What a summary may cost, in estimated tokens. Plain JSON. */
export interface SummaryRoom {
  /** The summary message and the index behind it. */
  readonly totalTokens: number;
  /** The index of names and numbers: it gives way to the message. */
  readonly indexTokens: number;
}

/** A summary shorter than this says nothing. */
export const smallestSummaryTokens = 120;

// Of a small summary the index takes no more.
const mostIndexShare = 0.18;

export function summaryRoom(
  { summaryFactIndex }: Pick<Measures, 'summaryFactIndex'>,
  totalTokens: number,
): SummaryRoom {
  return { totalTokens, indexTokens: Math.min(totalTokens * mostIndexShare, summaryFactIndex) };
}
