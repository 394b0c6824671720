import { countText, scriptAwareEstimator } from '@throughline/core';
import type { AnswerFacts } from './facts.ts';

/** Characters of reasoning and arguments in a token, where nobody has counted. */
const charactersPerToken = 4;

/** An answer that was stopped has told no usage. */
export function estimatedOutput({ fullText, outputCharacters }: AnswerFacts): number {
  const beside = Math.max(0, outputCharacters - fullText.length);
  return Math.ceil(countText(fullText, scriptAwareEstimator) + beside / charactersPerToken);
}
