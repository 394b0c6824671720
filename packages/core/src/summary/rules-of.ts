import { instructionSentences } from './instruction-sentences.ts';
import type { CarriedMessage } from '../transcript/summary-record.ts';

/** A message of the user cut down to its rules (never, must, only …); `undefined` where it states none. */
export function rulesOf({ recallId, text }: CarriedMessage): CarriedMessage | undefined {
  const rules = instructionSentences(text);
  return rules.length === 0 ? undefined : { recallId, text: `[…]\n${rules.join('\n')}`, isShortened: true };
}
