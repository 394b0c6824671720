import { callKey, isFailedResult, lastErrorLine } from './failed-result.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { pairResults } from '../transcript/entry-text.ts';
import type { CarriedError } from '../transcript/summary-record.ts';
import type { Entry } from '../transcript/entry.ts';

/** The newest failed result that no later success of the same call resolves; else `previous`, where nothing did. */
export function unresolvedError(
  entries: readonly Entry[],
  previous?: CarriedError,
): CarriedError | undefined {
  const succeeded = new Set<string>();
  for (const { entry, part, call } of pairResults(entries).toReversed()) {
    const key = call === undefined ? undefined : callKey(call);
    if (!isFailedResult(part, call)) {
      if (key !== undefined) succeeded.add(key);
      continue;
    }
    if (key !== undefined && succeeded.has(key)) continue;
    const toolName = call?.name ?? part.name ?? 'tool';
    const line = lastErrorLine(part);
    // A command may fail without a word: then an older error says more.
    if (line === '') continue;
    const error = { recallId: messageRecallId(entry.ordinal), toolName, line };
    return key === undefined ? error : { ...error, callKey: key };
  }
  return previous?.callKey !== undefined && succeeded.has(previous.callKey) ? undefined : previous;
}
