import { fingerprintRange } from '@throughline/core';
import type { Entry } from '@throughline/core';

/** Whether messages begin with those that were fingerprinted. */
export function startsWith(
  entries: readonly Entry[],
  { messages, fingerprint }: { readonly messages: number; readonly fingerprint: string },
): boolean {
  if (messages === 0 || messages > entries.length) return false;
  return fingerprintRange(entries.slice(0, messages)) === fingerprint;
}
