import { isRangeChange } from '@throughline/core/internal';
import type { Change } from '@throughline/core/types';
import type { ContextState } from '@throughline/core';
import type { ProxyCompaction } from '@throughline/protocol/types';
import type { StoredPass } from '@throughline/ports';

/** What one pass has added to the changes of a history. */
export interface PassMade extends ProxyCompaction {
  /** The engine's own, with all changes of the request: whoever makes the request anew needs it. */
  readonly state: ContextState;
}

/** @param passes all on which the conversation stands, oldest first */
export function passesMade(passes: readonly StoredPass[], conversationId: string): readonly PassMade[] {
  // That nothing was to be done is stored, too.
  const made = passes
    .map((pass, index) => {
      const before = new Set(passes[index - 1]?.state.changes.map(keyOf));
      return { pass, added: pass.state.changes.filter((change) => !before.has(keyOf(change))) };
    })
    .filter(({ added }) => added.length > 0);
  return made.map(({ pass, added }, index) => {
    const range = added.findLast(isRangeChange);
    const { action, tokensBefore, tokensAfter, windowTokens, checkpointId } = pass.report;
    return {
      messageCount: pass.length,
      action,
      tokensBefore,
      tokensAfter,
      windowTokens,
      checkpointId,
      round: range?.type === 'range-compacted' ? range.summary.round : null,
      summary: range?.type === 'range-compacted' ? range.text : null,
      range: range ? { first: range.anchor.first, end: range.anchor.end } : null,
      changes: added.map(({ type, reason, recallId, beforeTokens, afterTokens }) => ({
        type,
        reason,
        recallId,
        beforeTokens,
        afterTokens,
      })),
      createdAtMs: pass.createdAtMs,
      state: pass.state,
      isInherited: pass.conversationId !== conversationId,
      isInForce: index === made.length - 1,
    };
  });
}

function keyOf({ type, anchor, recallId, afterTokens }: Change): string {
  return `${type} ${recallId} ${anchor.fingerprint} ${afterTokens}`;
}
