import { checkpointsTo } from '@throughline/core/internal';
import type { StoredCheckpoint } from '@throughline/ports';

/** Those that count, oldest first: from the head back to the first. What was taken back is not among them. */
export function checkpointsInForce(
  stored: readonly StoredCheckpoint[],
  head: string | null,
): readonly StoredCheckpoint[] {
  const byId = new Map(stored.map((one) => [one.checkpoint.id, one]));
  const checkpoints = stored.map(({ checkpoint }) => checkpoint);
  return checkpointsTo(checkpoints, head).flatMap((id) => byId.get(id) ?? []);
}
