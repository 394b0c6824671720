import { endOf, isUnloaded } from './unloaded-entry.ts';
import { positionOf } from './conversation.ts';
import type { Conversation } from './conversation.ts';
import type { UnloadedRange } from './unloaded-range.ts';

/**
 * The unloaded ranges that can still be trusted when only the first `length` entries are kept: those that are whole, and
 * as surely answered as they were. Whether the model has answered the last message of a range is told by what came behind
 * it; where nothing did, it was its own answer.
 */
export function unloadedRangesWithin(conversation: Conversation, length: number): readonly UnloadedRange[] {
  const { unloadedRanges, entries } = conversation;
  if (unloadedRanges.length === 0 || length >= entries.length) return unloadedRanges;
  const last = entries.at(length - 1);
  const end = last ? endOf(last) : 0;
  return unloadedRanges.filter((range) => {
    if (range.end > end) return false;
    const from = positionOf(conversation, range.end - 1) + 1;
    return isAnswered(conversation, from, length) || !isAnswered(conversation, from, entries.length);
  });
}

function isAnswered({ entries }: Conversation, from: number, end: number): boolean {
  for (let position = from; position < end; position += 1) {
    const entry = entries.at(position);
    if (entry?.role === 'assistant' && !isUnloaded(entry)) return true;
  }
  return false;
}
