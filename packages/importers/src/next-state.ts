import { emptyState, parseState, recordUsage } from '@throughline/core';
import { upgradeChange, upgradeState } from '@throughline/core/internal';
import { objectOf } from './recording/json-value.ts';
import type { ContextState, Transcript } from '@throughline/core';
import type { RecordedSession, Recording } from './recording/recording.ts';

/**
 * What the engine had changed of the history when a session of our own store was exported: under it the history is what
 * the next request has. `undefined` for a file of another tool, and for a session without a step.
 *
 * @throws {ContextError} `bad-state` where it was written by a newer version
 */
export function exportedState({ format, document }: Recording): ContextState | undefined {
  if (format !== 'throughline' || document.type !== 'lines') return undefined;
  const lines = document.lines.map(({ value }) => objectOf(value));
  const stored = objectOf(lines.find(({ line }) => line === 'session')?.['state']);
  if (stored['version'] === undefined) return undefined;
  const changes = lines.filter(({ line }) => line === 'change').map(({ change }) => upgradeChange(change));
  return parseState({ ...objectOf(upgradeState(stored)), changes });
}

/**
 * What the provider has counted for the requests of a recording, as an engine would know it that had sent them: it says
 * what the next request comes to, with all that the file does not hold.
 */
export function countedState({ usage }: RecordedSession, transcript: Transcript): ContextState {
  const { tokensBefore, barrierAt } = transcript.conversation;
  const hidden = barrierAt < 0 ? 0 : (tokensBefore.at(barrierAt) ?? 0);
  return usage.reduce<ContextState>((state, { messageIndex, inputTokens }) => {
    // What a compaction of the provider hides was another request.
    if (messageIndex <= barrierAt || inputTokens <= 0) return state;
    const sentTokens = (tokensBefore.at(messageIndex) ?? 0) - hidden;
    // It was taken: whatever window somebody assumes is no reason to doubt it.
    return recordUsage(transcript, { ...state, sentTokens }, { inputTokens, windowTokens: inputTokens });
  }, emptyState());
}
