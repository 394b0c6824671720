import { recall, searchTranscript } from '@throughline/core';
import type { Transcript } from '@throughline/core';
import type { RecallSource } from './session-access.ts';

/** Recall over a transcript in memory. `current` is asked each time: the transcript grows. */
export function recallFromTranscript(current: () => Transcript): RecallSource {
  return {
    get: (id) => {
      const found = recall(current(), id);
      return Promise.resolve(found && { id: found.recallId, role: found.role, text: found.text });
    },
    search: (query, limit) =>
      Promise.resolve(
        searchTranscript(current(), query, limit).map(({ recallId, role, excerpt }) => ({
          id: recallId,
          role,
          excerpt,
        })),
      ),
  };
}
