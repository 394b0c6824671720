import { positionOf } from '../transcript/conversation.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { Entry } from '../transcript/entry.ts';
import type { Injection, RangeAnchor, RangeChange } from './change.ts';

/**
 * What follows a summary that no request of the user follows: without it some chat templates fail with "roles must
 * alternate". It asks nothing, so that the model goes on with its work.
 */
const continueNote = '[The work goes on below, where the record above ends.]';
const noteTokens = 20;

export interface NotedRange {
  readonly injection: Injection;
  readonly anchor: Pick<RangeAnchor, 'kept' | 'end'>;
}

/** The message behind the summary of a range: its index, and the note where one is needed; `undefined` without both. */
export function rangeNote(
  conversation: Conversation,
  change: RangeChange,
): { readonly text: string; readonly tokens: number } | undefined {
  const index = change.type === 'range-compacted' ? change.factIndex : null;
  const tokens = continueNoteTokens(conversation, change);
  const texts = [...(index ? [index.text] : []), ...(tokens > 0 ? [continueNote] : [])];
  return texts.length === 0 ? undefined : { text: texts.join('\n\n'), tokens: tokens + (index?.tokens ?? 0) };
}

/** What the note behind a range costs; 0 where none is needed. System messages between do not count. */
export function continueNoteTokens(conversation: Conversation, { injection, anchor }: NotedRange): number {
  if (injection === 'user') return 0;
  return nextSpeaker(conversation, anchor)?.role === 'user' ? 0 : noteTokens;
}

function nextSpeaker(conversation: Conversation, { kept, end }: NotedRange['anchor']): Entry | undefined {
  for (const ordinal of kept) {
    const entry = conversation.entries.at(positionOf(conversation, ordinal));
    if (entry && entry.role !== 'system') return entry;
  }
  for (let position = positionOf(conversation, end - 1) + 1; ; position += 1) {
    const entry = conversation.entries.at(position);
    if (entry?.role !== 'system') return entry;
  }
}
