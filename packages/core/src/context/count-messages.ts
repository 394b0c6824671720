import { checkTranscript } from './check-input.ts';
import { isUnloaded } from '../transcript/unloaded-range.ts';
import { nextOrdinal } from '../transcript/conversation.ts';
import { isRequest } from '../transcript/own-words.ts';
import type { Role } from '../transcript/entry.ts';
import type { Transcript } from './transcript.ts';

export interface MessageCounts {
  /** Wire messages of the full history; in item formats each item is one. */
  readonly total: number;
  /** Of those that were loaded. */
  readonly byRole: Readonly<Record<Role, number>>;
  /** Messages in which a user says something, not only the transport of results. */
  readonly requests: number;
}

/** How many messages the history holds. A walk over it. */
export function countMessages(transcript: Transcript): MessageCounts {
  checkTranscript(transcript);
  const { conversation } = transcript;
  const byRole: Record<Role, number> = { system: 0, user: 0, assistant: 0, tool: 0 };
  let requests = 0;
  for (const entry of conversation.entries) {
    if (isUnloaded(entry)) continue;
    byRole[entry.role] += 1;
    if (isRequest(entry)) requests += 1;
  }
  return { total: nextOrdinal(conversation), byRole, requests };
}
