import { exchangeAt } from '../transcript/conversation.ts';
import type { PersistentArray } from '../transcript/persistent-array.ts';
import type { RenderedMessage } from './rendered-message.ts';
import type { Role } from '../transcript/entry.ts';
import type { Transcript } from './transcript.ts';
import type { View, ViewItem } from '../changes/view.ts';
import type { ViewEntry } from './view-entries.ts';

/** The part of a view that was rendered and needed no repair, up to a border between closed exchanges. */
export interface SoundPrefix {
  /** How many items of the view it holds. */
  readonly items: number;
  readonly messages: readonly RenderedMessage<unknown>[];
  readonly callIds: ReadonlySet<string>;
  /** Of the last message in it that is not a system message. */
  readonly lastRole: Role;
}

/** As `SoundPrefix`, growing in place: there is one per lineage, and only its newest state is ever used. */
interface GrowingPrefix extends SoundPrefix {
  readonly messages: RenderedMessage<unknown>[];
  readonly callIds: Set<string>;
}

interface Memo {
  readonly viewItems: PersistentArray<ViewItem>;
  readonly prefix: GrowingPrefix;
}

// One view per transcript lineage: its measure is made once, when it is opened. A memory, never a source of truth.
const memos = new WeakMap<object, Memo>();

/** What is known to be sound of a view that has grown since. */
export function soundPrefix(transcript: Transcript, view: View): SoundPrefix | undefined {
  const memo = memos.get(transcript.conversation.measure);
  return memo && view.items.isExtensionOf(memo.viewItems) ? memo.prefix : undefined;
}

export interface SoundRun {
  /** The entries behind `before`, and their messages, one for each: nothing was repaired. */
  readonly found: readonly ViewEntry[];
  readonly messages: readonly RenderedMessage<unknown>[];
  readonly before: SoundPrefix | undefined;
}

/**
 * Remembers what need not be checked again. The border is the start of the first exchange that still waits for a result,
 * at the latest that of the last exchange: a result may yet come for it.
 */
export function rememberSound(
  transcript: Transcript,
  view: View,
  { found, messages, before }: SoundRun,
): void {
  const border = borderOf(view, before?.items ?? 0);
  if (messages.length !== found.length || border === 0) return;
  const known = before && memos.get(transcript.conversation.measure)?.prefix;
  const callIds = known?.callIds ?? new Set<string>();
  const kept = known?.messages ?? [];
  const sound = new Set(view.items.slice(before?.items ?? 0, border));
  let lastRole = before?.lastRole;
  found.forEach(({ entry, item }, index) => {
    if (!sound.has(item)) return;
    const message = messages[index];
    if (message) kept.push(message);
    if (entry.role !== 'system') lastRole = entry.role;
    for (const part of entry.parts) if (part.type === 'call') callIds.add(part.callId);
  });
  if (lastRole === undefined) return;
  memos.set(transcript.conversation.measure, {
    viewItems: view.items,
    prefix: { items: border, messages: kept, callIds, lastRole },
  });
}

/** Index in the view of an entry behind the compacted ranges. */
function indexOf({ items, conversation, tailFrom }: View, position: number): number {
  return position < tailFrom ? -1 : position + items.length - conversation.entries.length;
}

function borderOf(view: View, from: number): number {
  const { exchanges, lastExchange } = view.conversation;
  let first = lastExchange?.first ?? 0;
  for (let index = exchanges.length - 1; index >= 0; index -= 1) {
    const exchange = exchanges.at(index);
    if (!exchange || exchange.first < view.tailFrom || indexOf(view, exchange.first) < from) break;
    if (exchange.openCalls.length > 0) first = exchange.first;
  }
  return Math.min(firstWaiting(view, from), Math.max(0, indexOf(view, first)));
}

/** Index of the first message that stayed of a compacted range and still waits for a result; none is the end. */
function firstWaiting({ items, conversation, tailFrom }: View, from: number): number {
  const end = items.length - (conversation.entries.length - tailFrom);
  for (let index = from; index < end; index += 1) {
    const item = items.at(index);
    const exchange = item?.type === 'entry' ? exchangeAt(conversation, item.position) : undefined;
    if (exchange && exchange.openCalls.length > 0) return index;
  }
  return Infinity;
}
