import type * as wire from '@throughline/protocol/types';
import type { StoredCheckpoint } from '@throughline/ports';

/**
 * The compactions of a session. Those in force are the newest that counts and all that it was made behind.
 *
 * @param head the newest in force
 */
export function encodeCompactions(
  stored: readonly StoredCheckpoint[],
  head: string | null,
): readonly wire.Compaction[] {
  const inForce = ancestorsOf(head, stored);
  return stored.map(({ checkpoint, round, summary, range, createdAtMs }) => ({
    id: checkpoint.id,
    parent: checkpoint.parent,
    reason: checkpoint.reason,
    strategy: checkpoint.strategy,
    tokensBefore: checkpoint.tokensBefore,
    tokensAfter: checkpoint.tokensAfter,
    round,
    summary,
    range,
    createdAtMs,
    isInForce: inForce.has(checkpoint.id),
  }));
}

function ancestorsOf(head: string | null, stored: readonly StoredCheckpoint[]): ReadonlySet<string> {
  const parents = new Map(stored.map(({ checkpoint }) => [checkpoint.id, checkpoint.parent]));
  const found = new Set<string>();
  for (let id = head; id !== null && !found.has(id); id = parents.get(id) ?? null) found.add(id);
  return found;
}
