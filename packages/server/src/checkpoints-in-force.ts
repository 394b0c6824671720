import type { StoredCheckpoint } from '@throughline/ports';

/** Those that count, oldest first: from the head back to the first. What was taken back is not among them. */
export function checkpointsInForce(
  checkpoints: readonly StoredCheckpoint[],
  head: string | null,
): readonly StoredCheckpoint[] {
  const byId = new Map(checkpoints.map((stored) => [stored.checkpoint.id, stored]));
  const chain: StoredCheckpoint[] = [];
  for (let id = head; id !== null;) {
    const stored = byId.get(id);
    if (!stored) break;
    // An id that leads back to itself ends it.
    byId.delete(id);
    chain.push(stored);
    id = stored.checkpoint.parent;
  }
  return chain.toReversed();
}
