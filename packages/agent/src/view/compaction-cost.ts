import { fieldsOf } from '../json/json-value.ts';
import type { Json } from '@throughline/core/codec';
import type { PassCost } from '@throughline/core/internal';
import type { CompactionCost } from '@throughline/protocol/types';

export function writeCompactionCost({ usd, ...cost }: CompactionCost): Json {
  return { ...cost, usd: usd && { ...usd } };
}

/** As it was written; `null` for everything else: a file of somebody else, or of an earlier version, may say anything. */
export function readCompactionCost(stored: Json): CompactionCost | null {
  const { durationMs, messagesCompacted, model, usd } = fieldsOf(stored);
  if (typeof durationMs !== 'number' || typeof messagesCompacted !== 'number') return null;
  return {
    durationMs,
    messagesCompacted,
    model: typeof model === 'string' ? model : null,
    usd: readDollars(usd ?? null),
  };
}

function readDollars(stored: Json): PassCost | null {
  const { rewriteUsd, summariserUsd, savedPerStepUsd, breakEvenSteps } = fieldsOf(stored);
  const isWhole =
    typeof rewriteUsd === 'number' &&
    typeof summariserUsd === 'number' &&
    typeof savedPerStepUsd === 'number';
  if (!isWhole) return null;
  const steps = typeof breakEvenSteps === 'number' ? breakEvenSteps : null;
  return { rewriteUsd, summariserUsd, savedPerStepUsd, breakEvenSteps: steps };
}
