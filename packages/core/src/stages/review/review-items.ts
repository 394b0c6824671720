import { lastCut } from '../select-range.ts';
import { longArguments } from '../long-arguments.ts';
import { partsOf } from '../part-change.ts';
import { smallestPrunableTokens } from '../prunable-parts.ts';
import type { CallPart } from '../../transcript/entry.ts';
import type { StageInput } from '../stage-input.ts';
import type { ViewPart } from '../part-change.ts';

/**
 * What a reviewer decides about under one number: a result, a call with long arguments, or a text of the assistant.
 * Parts, because formats differ in how many of them they put into one message.
 */
export interface ReviewItem {
  readonly view: ViewPart;
  /** The call that a result answers, where the view still has it. */
  readonly call: CallPart | undefined;
}

/** The newest messages are not up for decision. */
const newestMessages = 5;

/**
 * What is up for decision, oldest first: what the view shows behind the newest summary and the provider's own
 * compaction, without the newest five messages and what the model has not answered. Nothing pinned or signed, nothing
 * of a provider's own tools, no word of the user or the system; nothing a reviewer has changed before, and nothing
 * that costs as little as its placeholder.
 */
export function reviewItems(input: StageInput): ReviewItem[] {
  const { items, conversation, tailFrom } = input.view;
  const shift = items.length - conversation.entries.length;
  const first = Math.max(tailFrom, conversation.barrierAt, 0);
  const end = Math.min(lastCut(conversation), conversation.entries.length - newestMessages);
  const calls = new Map<string, CallPart>();
  const found: ReviewItem[] = [];
  for (let position = first; position < end; position += 1) {
    const item = items.at(position + shift);
    if (item?.type !== 'entry') continue;
    for (const view of partsOf(input, item)) {
      const { part } = view;
      if (part.type === 'call') calls.set(part.callId, part);
      if (!isUpForDecision(input, view)) continue;
      found.push({ view, call: part.type === 'result' ? calls.get(part.callId) : undefined });
    }
  }
  return found;
}

function isUpForDecision({ pins }: StageInput, { item, part, tokens, change }: ViewPart): boolean {
  if (tokens < smallestPrunableTokens || pins.has(item.entry.ordinal)) return false;
  if (part.binding !== undefined || change?.reason === 'reviewed') return false;
  if (part.type === 'text') return item.entry.role === 'assistant';
  if (part.type === 'result') return part.isProviderExecuted !== true && change?.type !== 'result-pruned';
  if (part.type !== 'call' || part.isProviderExecuted === true || change !== undefined) return false;
  return longArguments(part).length > 0;
}
