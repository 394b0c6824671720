import { callKey, isFailedResult, lastErrorLine } from './failed-result.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { NearPairs } from './near-pairs.ts';
import type { CarriedError } from '../transcript/summary-record.ts';
import type { CallPart, Entry, Part } from '../transcript/entry.ts';

/** The newest failed result that no later success of the same call resolves; else `previous`, where nothing did. */
export function unresolvedError(
  entries: readonly Entry[],
  previous?: CarriedError,
): CarriedError | undefined {
  const pairs = new NearPairs(entries);
  const succeeded = new SucceededCalls();
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const { parts, ordinal } = entries[at] as Entry;
    for (let index = parts.length - 1; index >= 0; index -= 1) {
      const part = parts[index] as Part;
      if (part.type !== 'result') continue;
      const call = pairs.callOf(part, { at, part: index });
      if (!isFailedResult(part, call)) {
        if (call) succeeded.add(call);
        continue;
      }
      const key = call && callKey(call);
      const line = succeeded.has(key) ? '' : lastErrorLine(part);
      // A command may fail without a word: then an older error says more.
      if (line === '') continue;
      const toolName = call?.name ?? part.name ?? 'tool';
      const error = { recallId: messageRecallId(ordinal), toolName, line };
      return key === undefined ? error : { ...error, callKey: key };
    }
  }
  return succeeded.has(previous?.callKey) ? undefined : previous;
}

/** What has succeeded later. Keys are made of the arguments: only when one is asked for, and each once. */
class SucceededCalls {
  readonly #keys = new Set<string>();
  #calls: CallPart[] = [];

  add(call: CallPart): void {
    this.#calls.push(call);
  }

  has(key: string | undefined): boolean {
    if (key === undefined) return false;
    for (const call of this.#calls) this.#keys.add(callKey(call));
    this.#calls = [];
    return this.#keys.has(key);
  }
}
