import { definedIn } from '@throughline/core/internal';
import type * as wire from '@throughline/protocol/types';
import type { CheckpointNode, CheckpointTree, SessionSetup } from '@throughline/agent';

/** The compactions of a session, without the changes that each made. */
export function encodeCompactions({ checkpoints }: CheckpointTree): readonly wire.Compaction[] {
  return checkpoints.map(encodeCompaction);
}

function encodeCompaction(node: CheckpointNode): wire.Compaction {
  const { checkpoint, round, summary, range, cost, createdAtMs, ...more } = node;
  return {
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
  };
}

/** With all that is stored of it. The engine's own records are plain JSON. */
export function encodeRecord(node: CheckpointNode): wire.CompactionRecord {
  return { ...encodeCompaction(node), checkpoint: node.checkpoint as unknown as wire.Json };
}

export function encodeSetup({ state, budget, ...rest }: SessionSetup): wire.SessionSetup {
  return {
    ...rest,
    budget: { windowTokens: budget.windowTokens, ...definedIn(budget) },
    state: state as unknown as wire.Json,
  };
}
