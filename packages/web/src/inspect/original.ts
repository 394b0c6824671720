import { recall } from '@throughline/core';
import { parsePlaceholder } from '@throughline/core/internal';
import type { Recalled } from '@throughline/core/types';
import type { Inspected } from './inspected.ts';

/** The original behind a recall id. `elsewhere`: a whole output that only the store has; the API's `recall` has it. */
type Original =
  | { readonly state: 'found'; readonly original: Recalled }
  | { readonly state: 'elsewhere'; readonly recallId: string }
  | { readonly state: 'unknown'; readonly recallId: string };

/** What a placeholder, or a line of a summary, stands for. */
export function originalOf({ transcript, source }: Inspected, recallId: string): Original {
  const original = recall(transcript, recallId);
  if (original) return { state: 'found', original };
  const isOutput = source === 'session' && /^o\d{1,15}$/.test(recallId.trim());
  return { state: isOutput ? 'elsewhere' : 'unknown', recallId };
}

/** The recall id that a placeholder names; `undefined` for a text that is none. */
export function recallIdIn(text: string): string | undefined {
  return parsePlaceholder(text)?.recallId;
}
