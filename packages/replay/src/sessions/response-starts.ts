import type { Entry } from '@throughline/core';

/**
 * Positions at which a response begins. A response is a run of the assistant's messages, because some formats write
 * one response as several items; where a message holds its calls together with their results (OpenCode), the next
 * message is the next response. Something must lie before it.
 */
export function responseStarts(entries: readonly Entry[]): number[] {
  return entries.flatMap(({ role }, index) => {
    const before = entries[index - 1];
    if (before === undefined || role !== 'assistant') return [];
    return before.role !== 'assistant' || holdsResults(before) ? [index] : [];
  });
}

/** Position after the last message of the response that begins at `start`. */
export function responseEnd(entries: readonly Entry[], start: number): number {
  let end = start + 1;
  while (entries[end]?.role === 'assistant' && !holdsResults(entries[end - 1])) end += 1;
  return end;
}

function holdsResults(entry: Entry | undefined): boolean {
  return entry?.parts.some((part) => part.type === 'result' && part.isProviderExecuted !== true) ?? false;
}
