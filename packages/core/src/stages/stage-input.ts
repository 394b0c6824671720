import type { Measures } from '../budget/measures.ts';
import type { EntryItem, View } from '../changes/view.ts';
import { isHidden } from '../changes/view.ts';
import type { Estimator } from '../tokens/estimator.ts';
import { fingerprintPart } from '../transcript/fingerprint.ts';
import type { CallPart, Entry, Part, RecallId, ResultPart } from '../transcript/entry.ts';
import { partRecallId } from '../transcript/entry.ts';
import type { Change, ChangeReason, Injection, PartAnchor, PartLevelChange } from '../changes/change.ts';
import { exchangeAt } from '../transcript/conversation.ts';

/** What every stage works on. Sizes are in the estimator's tokens. */
export interface StageInput {
  readonly view: View;
  readonly measures: Measures;
  readonly estimator: Estimator;
  /** Placeholders may name the `recall` tool: the host offers it. */
  readonly hasRecall: boolean;
  /** Ordinals of messages that are never compacted, pruned or truncated. */
  readonly pins: ReadonlySet<number>;
  /** The changes that the pass began with: what is in force beside them is its own. */
  readonly began: readonly Change[];
  /** Where a summary goes if there is a request it can follow. */
  readonly injection: Injection;
}

/** One part of a message in the view, with what it costs there now. */
export interface ViewPart {
  readonly item: EntryItem;
  readonly index: number;
  readonly recallId: RecallId;
  readonly part: Part;
  /** Cost of the original, and of what the view shows. */
  readonly fullTokens: number;
  readonly tokens: number;
  /** The change in force on it. */
  readonly change: PartLevelChange | undefined;
}

export function partsOf({ view }: Pick<StageInput, 'view'>, item: EntryItem): ViewPart[] {
  const sizes = view.conversation.sizes.at(item.position)?.parts ?? [];
  const changes = changesByPart(item);
  return item.entry.parts.map((part, index) => {
    const change = changes?.get(index);
    const recallId = partRecallId(item.entry.ordinal, index);
    const fullTokens = sizes[index] ?? 0;
    return { item, index, recallId, part, fullTokens, tokens: change?.afterTokens ?? fullTokens, change };
  });
}

function changesByPart({ changes }: EntryItem): ReadonlyMap<number, PartLevelChange> | undefined {
  return changes.length === 0 ? undefined : new Map(changes.map((change) => [change.anchor.part, change]));
}

export function anchorOf(entry: Entry, index: number): PartAnchor {
  return { ordinal: entry.ordinal, part: index, fingerprint: fingerprintPart(entry, index) ?? '' };
}

/** The fields every change of a part has; what it costs before is what the view shows of it now. */
export function partChangeBase(
  { item, index, recallId, tokens }: ViewPart,
  reason: ChangeReason,
  afterTokens: number,
) {
  return { anchor: anchorOf(item.entry, index), recallId, reason, beforeTokens: tokens, afterTokens };
}

/**
 * The messages of the view that a stage may change, in order: no system message, nothing pinned, and nothing in front
 * of the provider's own compaction, which stays whole and in place with all it stands for.
 */
export function* editableItems({ view, pins }: StageInput): Generator<EntryItem> {
  for (const item of view.items) {
    if (item.type !== 'entry' || item.entry.role === 'system') continue;
    if (pins.has(item.entry.ordinal) || isHidden(view.conversation, item.position)) continue;
    yield item;
  }
}

// More results than this to one response: then a result is read without its call.
const mostBetween = 64;

/**
 * The call that a result in the view answers: not every format repeats the tool's name in the result. Looked for in what
 * the view shows without a break up to the result: a call that was compacted is not known any more.
 */
export function callOf(view: View, position: number, { callId }: ResultPart): CallPart | undefined {
  const { conversation, tailFrom } = view;
  const runStart = position >= tailFrom ? tailFrom : (exchangeAt(conversation, position)?.first ?? position);
  for (let index = position; index >= Math.max(runStart, position - mostBetween); index -= 1) {
    const parts = conversation.entries.at(index)?.parts ?? [];
    const call = parts.find((one): one is CallPart => one.type === 'call' && one.callId === callId);
    if (call) return call;
  }
  return undefined;
}
