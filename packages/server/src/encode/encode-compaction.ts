import type * as wire from '@throughline/protocol/types';
import type { CheckpointTree } from '@throughline/agent';

/** The compactions of a session, without the changes that each made. */
export function encodeCompactions({ checkpoints }: CheckpointTree): readonly wire.Compaction[] {
  return checkpoints.map(({ checkpoint, round, summary, range, cost, createdAtMs, ...more }) => ({
    id: checkpoint.id,
    parent: checkpoint.parent,
    reason: checkpoint.reason,
    strategy: checkpoint.strategy,
    tokensBefore: checkpoint.tokensBefore,
    tokensAfter: checkpoint.tokensAfter,
    round,
    summary,
    range,
    cost,
    createdAtMs,
    isInForce: more.isInForce,
    canUndo: more.canUndo,
    canRedo: more.canRedo,
  }));
}
