import { prunableParts } from './prunable-parts.ts';
import { prunePart } from './prune-part.ts';
import { longArguments } from './long-arguments.ts';
import { seenTokens } from '../changes/view.ts';
import type { ChangeReason, PartLevelChange } from '../changes/change.ts';
import type { KeptOutput } from '../budget/measures.ts';
import type { StageInput } from './stage-input.ts';
import type { ViewPart } from './part-change.ts';

export interface PrunePartsOptions {
  /** Stop when what the model has seen is down to this. */
  readonly targetTokens: number;
  /** Newest tool output that stays, beside what the model has not seen. */
  readonly keep: KeptOutput;
  /** Do nothing at all unless at least this is gained. */
  readonly leastGainTokens: number;
  /** Do nothing unless the target is reached: a compaction follows that makes room by itself. */
  readonly onlyIfEnough: boolean;
}

const placeholderShare = 0.1;
const maxPlaceholderTokens = 300;
const placeholderOverheadTokens = 30;

/**
 * Ladder step 2: replaces old results, and long arguments of old calls, by placeholders; repeated reads first, then oldest
 * first, until the target is reached. Never the call, nothing pinned, nothing the model has not seen, nothing compacted.
 */
export function pruneParts(input: StageInput, options: PrunePartsOptions): PartLevelChange[] {
  const needTokens = seenTokens(input.view) - options.targetTokens;
  if (needTokens <= 0) return [];
  if (options.onlyIfEnough && isOutOfReach(input, options.targetTokens)) return [];
  const parts = prunableParts(input, options.keep);
  const gain = parts.reduce((sum, { view }) => sum + leastGain(view), 0);
  if (gain < options.leastGainTokens || (options.onlyIfEnough && gain < needTokens)) return [];
  const ordered = [
    ...parts.filter(({ isRepeated }) => isRepeated),
    ...parts.filter((part) => !part.isRepeated),
  ];
  const changes: PartLevelChange[] = [];
  let gained = 0;
  for (const { view, isRepeated } of ordered) {
    if (gained >= needTokens) break;
    const change = prunePart(input, view, { reason: reasonOf(view, isRepeated) });
    if (!change || change.afterTokens >= view.tokens) continue;
    gained += view.tokens - change.afterTokens;
    changes.push(change);
  }
  return changes;
}

// A placeholder without an index, in its message.
const leastMessageTokens = 34;

/** Whether no pruning can get that far: found without a look at the parts, and at no more messages than it takes. */
function isOutOfReach({ view: { items, conversation } }: StageInput, targetTokens: number): boolean {
  let tokens = 0;
  for (let index = 0; index < items.length && tokens <= targetTokens; index += 1) {
    const item = items.at(index);
    if (!item || (item.type === 'entry' && item.position >= conversation.answeredEnd)) break;
    tokens += Math.min(item.tokens, leastMessageTokens);
  }
  return tokens > targetTokens;
}

/** What pruning a part gains at least; of a call, what its long arguments are is only known by reading it. */
function leastGain({ part, tokens }: ViewPart): number {
  if (part.type === 'call' && longArguments(part).length === 0) return 0;
  return Math.max(
    0,
    tokens - Math.min(tokens * placeholderShare, maxPlaceholderTokens) - placeholderOverheadTokens,
  );
}

function reasonOf({ part }: ViewPart, isRepeated: boolean): ChangeReason {
  if (part.type === 'call') return 'old-arguments';
  return isRepeated ? 'duplicate' : 'old-output';
}
