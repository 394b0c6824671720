import { isRequest } from '../transcript/own-words.ts';
import { ContextError } from '../errors/context-error.ts';
import { endOf, isUnloaded } from '../transcript/entry.ts';
import { PersistentArray } from '../transcript/persistent-array.ts';
import { inWholeSteps } from '../tokens/measure-entry.ts';
import { interruptedTokensAt, openTokens, tokensAt } from '../transcript/conversation.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { Entry } from '../transcript/entry.ts';
import type { Synthetic } from '../codecs/codec.ts';
import type { Change, PartLevelChange, RangeChange } from './change.ts';

/** One message of the context: an entry, as it is or with changes, or a message the engine wrote. */
export type ViewItem = EntryItem | SyntheticItem;

/**
 * A message of the history in a view, with the changes that edit it. `position` is its index in `conversation.entries`.
 * `tokens` is estimated with the changes; 0 where the provider's own compaction hides the message.
 */
export interface EntryItem {
  readonly type: 'entry';
  readonly position: number;
  readonly entry: Entry;
  readonly changes: readonly PartLevelChange[];
  readonly tokens: number;
}

/** A message in a view that the engine wrote. `tokens` is estimated. */
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
  readonly items: PersistentArray<ViewItem>;
  /**
   * Estimated tokens of all items, and of the error results that calls get which stay without a result; system text and
   * tools outside the messages are not among them.
   */
  readonly tokens: number;
  /** Every entry at or after this position stands at the end of `items`, in order. */
  readonly tailFrom: number;
}

const noChanges: readonly PartLevelChange[] = [];

/** @throws {ContextError} `not-loaded` where only a place holder stands there. */
export function untouchedItem(conversation: Conversation, position: number): EntryItem {
  const entry = conversation.entries.at(position) as Entry;
  if (isUnloaded(entry)) throw notLoaded(entry);
  const size = tokensAt(conversation, position);
  const tokens = isHidden(conversation, position) ? 0 : size + interruptedTokensAt(conversation, position);
  return { type: 'entry', position, entry, changes: noChanges, tokens };
}

function notLoaded(unloaded: Entry): ContextError<'not-loaded'> {
  const { ordinal: first } = unloaded;
  const end = endOf(unloaded);
  const messages = `The view shows messages m${first} to m${end - 1}, which were not loaded.`;
  return new ContextError('not-loaded', `${messages} Load what its changes show, and open that.`, {
    first,
    end,
  });
}

/** Whether the provider's own compaction stands for this message: it is sent, but never reaches the model. */
export function isHidden({ barrierAt }: Conversation, position: number): boolean {
  return position < barrierAt;
}

/** A message with these changes carried out, and what it costs then. */
export function changedItem(
  conversation: Conversation,
  position: number,
  changes: readonly PartLevelChange[],
): EntryItem {
  const item = untouchedItem(conversation, position);
  if (changes.length === 0) return item;
  if (isHidden(conversation, position)) return { ...item, changes };
  const sizes = conversation.sizes.at(position)?.parts ?? [];
  const saved = changes.reduce(
    (sum, { anchor, afterTokens }) => sum + (sizes[anchor.part] ?? 0) - afterTokens,
    0,
  );
  return { ...item, changes, tokens: inWholeSteps(Math.max(0, item.tokens - saved)) };
}

/** The messages that were appended to the history since the view was made, as a view of their own. */
export function tailView(view: View, conversation: Conversation): View {
  const tailFrom = view.conversation.entries.length;
  const items: ViewItem[] = [];
  for (let position = tailFrom; position < conversation.entries.length; position += 1) {
    items.push(untouchedItem(conversation, position));
  }
  return viewOf({ conversation, items, tailFrom });
}

/** A view of these items, measured: with the error results that calls without a result get before they are sent. */
export function viewOf({
  conversation,
  items,
  tailFrom,
}: Pick<View, 'conversation' | 'tailFrom'> & { readonly items: readonly ViewItem[] }): View {
  const tokens = items.reduce((sum, item) => sum + item.tokens, openTokens(conversation));
  return { conversation, items: PersistentArray.of(items), tokens, tailFrom };
}

/** The same view with a tail of the same history behind it. Costs only what is new. */
export function joinTail(view: View, { conversation, items, tokens, tailFrom }: View): View {
  if (items.length === 0) return view;
  const known = knownItems(view, conversation, tailFrom);
  const join = { conversation, items: known.items.append(items.slice()), tailFrom: view.tailFrom };
  return { ...join, tokens: known.tokens + tokens };
}

/** The items as they stand in the longer history, and what they cost there. */
function knownItems(
  view: View,
  conversation: Conversation,
  tailFrom: number,
): Pick<View, 'items' | 'tokens'> {
  // A compaction of the provider hides all that was before it: once per compaction, everything is gone through.
  if (conversation.barrierAt >= tailFrom)
    return { items: PersistentArray.of(view.items.slice().map(hidden)), tokens: 0 };
  const { items, conversation: before } = view;
  const tokens = view.tokens - openTokens(before);
  if (conversation.interruptedCalls === before.interruptedCalls || !before.lastExchange)
    return { items, tokens };
  // So too for calls that the messages after them have left without a result.
  const { first, end } = before.lastExchange;
  const shift = items.length - before.entries.length;
  const made = items.slice();
  let added = 0;
  for (let index = Math.max(first, view.tailFrom) + shift; index < end + shift; index += 1) {
    const item = made[index];
    if (item?.type !== 'entry') continue;
    const closed = changedItem(conversation, item.position, item.changes);
    made[index] = closed;
    added += closed.tokens - item.tokens;
  }
  return { items: PersistentArray.of(made), tokens: tokens + added };
}

function hidden(item: ViewItem): ViewItem {
  return item.tokens === 0 ? item : { ...item, tokens: 0 };
}

/**
 * The view with more changes of single parts in force. `live` holds all that are in force now, `added` those that are
 * new in it. Costs a walk over the items, and nothing is compared: the changes were made on this view.
 */
export function patchView(view: View, live: readonly Change[], added: readonly PartLevelChange[]): View {
  if (added.length === 0) return view;
  const byOrdinal = new Map<number, PartLevelChange[]>(added.map(({ anchor }) => [anchor.ordinal, []]));
  for (const change of live) {
    if ('ordinal' in change.anchor) byOrdinal.get(change.anchor.ordinal)?.push(change as PartLevelChange);
  }
  let { tokens } = view;
  const items = view.items.slice().map((item) => {
    const changes = item.type === 'entry' ? byOrdinal.get(item.entry.ordinal) : undefined;
    if (!changes || item.type !== 'entry') return item;
    const changed = changedItem(view.conversation, item.position, changes);
    tokens += changed.tokens - item.tokens;
    return changed;
  });
  return { ...view, items: PersistentArray.of(items), tokens };
}

/** How many items stand in front of the tail: with no range in force, none. */
export function headLength({ items, conversation, tailFrom }: View): number {
  return items.length - (conversation.entries.length - tailFrom);
}

function headItems(view: View): readonly ViewItem[] {
  return view.items.slice(0, headLength(view));
}

/** Index among the items of the message at this position of the history; -1 where it does not stand in the tail. */
export function tailIndex(view: View, position: number): number {
  return position < view.tailFrom ? -1 : position - view.tailFrom + headLength(view);
}

/** The message at this position of the history, where it stands in the tail. */
export function tailItem(view: View, position: number): EntryItem | undefined {
  const index = tailIndex(view, position);
  const item = index < 0 ? undefined : view.items.at(index);
  return item?.type === 'entry' ? item : undefined;
}

/** Says of a position of the history whether the view shows its message, one that the provider hides included. */
export function shownIn(view: View): (position: number) => boolean {
  const shown = new Set(headItems(view).flatMap((item) => (item.type === 'entry' ? [item.position] : [])));
  return (position) => position >= view.tailFrom || shown.has(position);
}

/** The range changes that the view shows: those in force whose messages are still there. Oldest range first. */
export function rangesOf(view: View): RangeChange[] {
  return [...new Set(headItems(view).flatMap((item) => (item.type === 'synthetic' ? [item.change] : [])))];
}

/** Estimated tokens of the messages at the end of the view that the model has not answered yet. */
export function unseenTokens(view: View): number {
  const { answeredEnd } = view.conversation;
  let tokens = openTokens(view.conversation);
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

/** Positions in the history; -1 where the view shows none. */
interface ShownRequests {
  /** The first request of the user, where it is shown. */
  readonly taskAt: number;
  /** The newest request that is shown. */
  readonly latestAt: number;
}

/**
 * The words of the user that a view shows. What is done to a view depends on these alone: one that went with its results
 * into a range is part of the summary, whether or not it was loaded.
 */
export function shownRequests(view: View): ShownRequests {
  const { taskAt, latestAt } = view.conversation;
  if (taskAt >= view.tailFrom) return { taskAt, latestAt };
  const isShown = shownIn(view);
  return {
    taskAt: taskAt >= 0 && isShown(taskAt) ? taskAt : -1,
    latestAt: latestAt < 0 || isShown(latestAt) ? latestAt : newestInHead(view),
  };
}

/** Position of the newest request in front of the tail, for a tail that holds none; -1 where there is none. */
function newestInHead(view: View): number {
  return headItems(view).reduce(
    (newest, item) =>
      item.type === 'entry' && isRequest(item.entry) ? Math.max(newest, item.position) : newest,
    -1,
  );
}
