import type { Log } from '../transcript/log.ts';
import { tokensBetween } from '../transcript/conversation.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { Entry } from '../transcript/entry.ts';
import type { Synthetic } from '../codecs/codec.ts';
import type { PartLevelChange, RangeChange } from './change.ts';

/** One message of the context: an entry, as it is or with changes, or a message the engine wrote. */
export type ViewItem = EntryItem | SyntheticItem;

export interface EntryItem {
  readonly type: 'entry';
  readonly position: number;
  readonly entry: Entry;
  readonly changes: readonly PartLevelChange[];
  readonly tokens: number;
}

export interface SyntheticItem {
  readonly type: 'synthetic';
  readonly item: Synthetic;
  /** The change that put it here. */
  readonly change: RangeChange;
  readonly tokens: number;
}

/** What would be sent: the history with the changes applied, measured. Immutable. */
export interface View {
  readonly conversation: Conversation;
  readonly items: Log<ViewItem>;
  /** Estimated tokens of all items; system text and tools outside the messages are not among them. */
  readonly tokens: number;
  /** Every entry at or after this position stands at the end of `items`, in order. */
  readonly tailFrom: number;
}

const noChanges: readonly PartLevelChange[] = [];

export function untouchedItem(conversation: Conversation, position: number): EntryItem {
  const entry = conversation.entries.at(position) as Entry;
  return {
    type: 'entry',
    position,
    entry,
    changes: noChanges,
    tokens: conversation.sizes.at(position)?.tokens ?? 0,
  };
}

/** The same view with the messages that were appended to the history since. Costs only what is new. */
export function extendView(view: View, conversation: Conversation): View {
  const known = view.conversation.entries.length;
  const added: ViewItem[] = [];
  for (let position = known; position < conversation.entries.length; position += 1) {
    added.push(untouchedItem(conversation, position));
  }
  return {
    conversation,
    items: view.items.append(added),
    tokens: view.tokens + tokensBetween(conversation, known, conversation.entries.length),
    tailFrom: view.tailFrom,
  };
}

/** The range changes that the view shows: those in force whose messages are still there. Oldest range first. */
export function rangesOf({ items, tailFrom, conversation }: View): RangeChange[] {
  const ranges = new Set<RangeChange>();
  const tailLength = conversation.entries.length - tailFrom;
  for (let index = 0; index < items.length - tailLength; index += 1) {
    const item = items.at(index);
    if (item?.type === 'synthetic') ranges.add(item.change);
  }
  return [...ranges];
}

/** Estimated tokens of the messages at the end of the view that the model has not answered yet. */
export function unseenTokens(view: View): number {
  const { answeredEnd } = view.conversation;
  let tokens = 0;
  for (let index = view.items.length - 1; index >= 0; index -= 1) {
    const item = view.items.at(index);
    if (item?.type !== 'entry' || item.position < answeredEnd) break;
    tokens += item.tokens;
  }
  return tokens;
}

/** Estimated tokens of what the model has already seen. */
export function seenTokens(view: View): number {
  return view.tokens - unseenTokens(view);
}
