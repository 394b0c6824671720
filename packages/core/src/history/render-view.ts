import { checkOptions, oneOfTexts, texts } from '../errors/check-options.ts';
import { ContextError } from '../errors/context-error.ts';
import { checkTranscript, checkView } from './check-input.ts';
import { composeNotes } from './dynamic-context.ts';
import { editObject } from '../json/edit-object.ts';
import { exchangeAt } from '../transcript/conversation.ts';
import { isBlank } from '../transcript/entry.ts';
import { createMemory, remembered } from '../transcript/memory.ts';
import { applyRepair } from '../wire/repaired.ts';
import { repair } from '../wire/repair.ts';
import type { DynamicContext } from './dynamic-context.ts';
import type { MeasureEntry } from '../transcript/conversation.ts';
import type { AppliedMessage, Repair } from '../wire/repaired.ts';
import type { Continued } from '../wire/validate.ts';
import type { Entry, Part } from '../transcript/entry.ts';
import type { PartChange, Codec } from '../codecs/codec.ts';
import type { PartLevelChange } from '../changes/change.ts';
import { headLength, tailIndex } from '../changes/view.ts';
import type { EntryItem, SyntheticItem, View, ViewItem } from '../changes/view.ts';
import type { Transcript } from './transcript.ts';
import type { PersistentArray } from '../transcript/persistent-array.ts';

/** A message to send, and where it comes from. */
export interface RenderedMessage<Message> {
  /**
   * `entry`: a message of the history, as it is or edited. `written`: the engine wrote it. `note`: dynamic context, of
   * this request only.
   */
  readonly source: 'entry' | 'written' | 'note';
  /** Present for a message of the history. */
  readonly ordinal?: number;
  /** False: `message` is the very object that was handed in. */
  readonly isEdited: boolean;
  readonly message: Message;
}

/** The messages to send, in order, and what was repaired in them. */
export interface Rendered<Message> {
  readonly messages: readonly RenderedMessage<Message>[];
  /** What had to be mended so that the format accepts it, by places in the view; empty for a sound history. */
  readonly repairs: readonly Repair[];
}

/** How the request ends, and what stands behind its messages. */
export interface RenderOptions {
  /**
   * `send`: the request goes out, calls without a result get an error result. `open`: the caller is about to answer
   * the calls of the last response. @default 'send'
   */
  readonly ending?: 'send' | 'open';
  /** The notes that were handed to `prepare`: they come last, after everything that is cached. @default none */
  readonly notes?: DynamicContext;
}

/**
 * The wire messages of a view, valid for its format. What nothing has touched is the same object; the same view gives
 * the same bytes; repairs are computed anew for each view, so that a result that comes late heals its call. Where the
 * view has only grown since it was last rendered, only what is new is checked.
 */
export function renderView<Message>(
  transcript: Transcript<Message>,
  view: View,
  options: RenderOptions = {},
): Rendered<Message> {
  checkTranscript(transcript);
  checkView(view);
  checkOptions<RenderOptions>('', options, { ending: oneOfTexts('send', 'open'), notes: texts });
  const { ending = 'send', notes = [] } = options;
  const sound = soundPrefix(transcript, view);
  const found = viewEntries(transcript.codec, view, sound?.items ?? 0);
  const entries = found.map(({ entry }) => entry);
  const { items, repairs: done } = repair(entries, transcript.codec, {
    ending,
    ...(sound && { continues: sound }),
  });
  const known = sound?.messages.length ?? 0;
  const repairs = [...mendsOf(found), ...done].map((one) => placedBehind(one, known));
  const applied = applyRepair(entries, items, transcript.codec);
  const messages = applied.map((one) => rendered<Message>(one, found));
  const all = sound ? (sound.messages as RenderedMessage<Message>[]).concat(messages) : messages;
  if (repairs.length === 0) rememberSound(transcript, view, { found, messages, before: sound });
  const last = composeNotes(transcript.codec, notes).map((message): RenderedMessage<Message> => ({
    source: 'note',
    isEdited: true,
    message,
  }));
  return { messages: last.length === 0 ? all : [...all, ...last], repairs };
}

/** The same repair in the whole list, of which so many entries were known to be sound. */
function placedBehind(repair: Repair, known: number): Repair {
  if (known === 0) return repair;
  if (repair.type === 'note-added') return { ...repair, before: repair.before + known };
  const entry = repair.entry + known;
  if (repair.type === 'result-moved') return { ...repair, entry, to: repair.to + known };
  if (repair.type === 'messages-joined') return { ...repair, entry, end: repair.end + known };
  return { ...repair, entry };
}

/** What was mended when the messages were read. */
function mendsOf(found: readonly ViewEntry[]): Repair[] {
  return found.flatMap(({ item }, entry) =>
    item.type === 'entry' && item.entry.mended
      ? item.entry.mended.mends.map(({ at, what }): Repair => ({ type: 'shape-mended', entry, at, what }))
      : [],
  );
}

function rendered<Message>(
  { message, index, isEdited }: AppliedMessage,
  found: readonly ViewEntry[],
): RenderedMessage<Message> {
  const origin = index === undefined ? undefined : found[index];
  if (origin?.item.type !== 'entry')
    return { source: 'written', isEdited: true, message: message as Message };
  const isAsItWas = !isEdited && origin.entry === origin.item.entry && !origin.entry.mended;
  const { ordinal } = origin.item.entry;
  return { source: 'entry', ordinal, isEdited: !isAsItWas, message: message as Message };
}

/**
 * A request without any message is refused by every provider: nothing is made fit, and no model is asked, before there
 * is something to send. A history may be empty all the same, as that of a session that has just begun.
 *
 * @throws {ContextError} `bad-wire-format` where nothing is left of a view once it is mended.
 */
export function checkRequest({ codec }: Transcript, view: View): void {
  const { items } = view;
  // The first message is one nearly always: then nothing else is looked at.
  for (let index = 0; index < items.length; index += 1) if (isSurelySent(items.at(index))) return;
  const entries = viewEntries(codec, view).map(({ entry }) => entry);
  const repaired = repair(entries, codec, { ending: 'send' });
  if (repaired.items.length === 0) throw nothingToSend(codec.name, entries.length, repaired.repairs);
}

/** What the engine wrote, and what a user said, goes out whatever else is mended. */
function isSurelySent(item: ViewItem | undefined): boolean {
  if (item?.type !== 'entry') return item !== undefined;
  const { role, parts } = item.entry;
  return (
    role === 'user' &&
    item.changes.length === 0 &&
    parts.some((part) => part.type === 'text' && !isBlank(part))
  );
}

/** @param repairs what was done to the messages, of which none is left */
function nothingToSend(
  format: string,
  messages: number,
  repairs: readonly Repair[],
): ContextError<'bad-wire-format'> {
  const expected = 'a list of at least one message that says something';
  const reasons = repairs.flatMap((one) => (one.type === 'note-added' ? [] : [reasonOf(one)]));
  const what = messages === 0 ? 'an empty list' : `nothing else than ${reasons.slice(0, 3).join(', ')}`;
  const rest = reasons.length > 3 ? ' …' : '';
  const message = `Expected messages to be ${expected}, got ${what}${rest}.`;
  return new ContextError('bad-wire-format', message, { format, path: 'messages', expected });
}

function reasonOf(done: Exclude<Repair, { type: 'note-added' }>): string {
  const because = 'because' in done ? ` (${done.because})` : '';
  return `messages[${done.entry}]: ${done.type}${because}`;
}

/** One message of a view as it would be sent, decoded, with where it comes from. */
interface ViewEntry {
  readonly entry: Entry;
  readonly item: ViewItem;
}

/** The messages of a view, from an item on, with its changes carried out. Untouched ones are the history's own entries. */
function viewEntries<Message>(codec: Codec<Message>, view: View, from = 0): ViewEntry[] {
  const entries: ViewEntry[] = [];
  for (let index = from; index < view.items.length; index += 1) {
    const item = view.items.at(index);
    if (!item) continue;
    for (const one of entriesOf(item, codec)) entries.push(one);
  }
  return entries;
}

/** An item belongs to the one codec that its history was read with, and lives as long as its view. */
const entriesOf = remembered((item: ViewItem, codec: Codec) =>
  item.type === 'entry' ? editedEntry(codec, item) : composedEntries(codec, item),
);

function editedEntry<Message>(codec: Codec<Message>, item: EntryItem): readonly ViewEntry[] {
  if (item.changes.length === 0) return [{ entry: item.entry, item }];
  const edits = codec.edit(item.entry, toPartChanges(item.entry, item.changes));
  const wire = editObject(item.entry.wire, edits);
  // Edits that leave nothing take the message with them.
  if (wire === undefined) return [];
  const entry = codec.decode(wire as Message, item.entry.ordinal);
  // A message that held only reasoning goes with it.
  return entry.parts.length === 0 && item.entry.parts.length > 0 ? [] : [{ entry, item }];
}

function composedEntries<Message>(codec: Codec<Message>, item: SyntheticItem): readonly ViewEntry[] {
  const { messages } = codec.compose(item.item);
  return messages.map((message) => ({ entry: codec.decode(message, item.change.anchor.first), item }));
}

/**
 * The part of a view that was rendered and needed no repair, up to a border between closed exchanges. It grows in place:
 * there is one per lineage, and only its newest state is ever used.
 */
interface SoundPrefix extends Continued {
  readonly viewItems: PersistentArray<ViewItem>;
  /** How many of them it holds. */
  readonly items: number;
  readonly messages: RenderedMessage<unknown>[];
  readonly callIds: Set<string>;
  readonly answeredCallIds: Set<string>;
}

/** One view per transcript lineage: its measure is made once, when it is opened. */
const prefixes = createMemory<MeasureEntry, SoundPrefix>();

/** What is known to be sound of a view that has grown since. */
function soundPrefix(transcript: Transcript, view: View): SoundPrefix | undefined {
  const prefix = prefixes.recall(transcript.conversation.measure);
  return prefix && view.items.isExtensionOf(prefix.viewItems) ? prefix : undefined;
}

interface SoundRun {
  /** The entries behind `before`, and their messages, one for each: nothing was repaired. */
  readonly found: readonly ViewEntry[];
  readonly messages: readonly RenderedMessage<unknown>[];
  readonly before: SoundPrefix | undefined;
}

/**
 * Remembers what need not be checked again. The border is the start of the first exchange that still waits for a result,
 * at the latest that of the last exchange: a result may yet come for it.
 */
function rememberSound(transcript: Transcript, view: View, { found, messages, before }: SoundRun): void {
  const border = borderOf(view, before?.items ?? 0);
  if (messages.length !== found.length || border === 0) return;
  const callIds = before?.callIds ?? new Set<string>();
  const answeredCallIds = before?.answeredCallIds ?? new Set<string>();
  const kept = before?.messages ?? [];
  const sound = new Set(view.items.slice(before?.items ?? 0, border));
  let lastRole = before?.lastRole;
  found.forEach(({ entry, item }, index) => {
    if (!sound.has(item)) return;
    const message = messages[index];
    if (message) kept.push(message);
    if (entry.role !== 'system') lastRole = entry.role;
    for (const part of entry.parts) {
      if (part.type !== 'call') continue;
      callIds.add(part.callId);
      if (part.isProviderExecuted !== true) answeredCallIds.add(part.callId);
    }
  });
  if (lastRole === undefined) return;
  prefixes.remember(transcript.conversation.measure, {
    viewItems: view.items,
    items: border,
    messages: kept,
    callIds,
    answeredCallIds,
    lastRole,
  });
}

function borderOf(view: View, from: number): number {
  const { exchanges, lastExchange } = view.conversation;
  let first = lastExchange?.first ?? 0;
  for (let index = exchanges.length - 1; index >= 0; index -= 1) {
    const exchange = exchanges.at(index);
    if (!exchange || exchange.first < view.tailFrom || tailIndex(view, exchange.first) < from) break;
    if (exchange.openCalls.length > 0) first = exchange.first;
  }
  return Math.min(firstWaiting(view, from), Math.max(0, tailIndex(view, first)));
}

/** Index of the first message that stayed of a compacted range and still waits for a result; none is the end. */
function firstWaiting(view: View, from: number): number {
  const end = headLength(view);
  for (let index = from; index < end; index += 1) {
    const item = view.items.at(index);
    const exchange = item?.type === 'entry' ? exchangeAt(view.conversation, item.position) : undefined;
    if (exchange && exchange.openCalls.length > 0) return index;
  }
  return Infinity;
}

type PartOf<Type extends Part['type']> = Extract<Part, { type: Type }>;
type Row<Type extends PartLevelChange['type']> = (
  change: Extract<PartLevelChange, { type: Type }>,
  part: Part,
) => PartChange | undefined;

/** What each change asks of the codec; `undefined` where the part is of another kind than the change was made for. */
const rows: { readonly [Type in PartLevelChange['type']]: Row<Type> } = {
  'result-truncated': ({ text, keepMedia }, part) =>
    is(part, 'result') ? { type: 'replace-result', part, text, keepMedia } : undefined,
  'result-pruned': ({ text }, part) =>
    is(part, 'result') ? { type: 'replace-result', part, text, keepMedia: false } : undefined,
  'arguments-pruned': ({ values }, part) =>
    is(part, 'call') ? { type: 'replace-arguments', part, values } : undefined,
  'text-truncated': ({ text }, part) => (is(part, 'text') ? { type: 'replace-text', part, text } : undefined),
  'media-dropped': ({ text }, part) =>
    is(part, 'media') ? { type: 'replace-media', part, text } : undefined,
  'reasoning-dropped': (_change, part) =>
    is(part, 'reasoning') ? { type: 'drop-reasoning', part } : undefined,
};

function is<Type extends Part['type']>(part: Part, type: Type): part is PartOf<Type> {
  return part.type === type;
}

/** The changes of one message, as its codec takes them. */
function toPartChanges(entry: Entry, changes: readonly PartLevelChange[]): PartChange[] {
  return changes.flatMap((change) => {
    const part = entry.parts[change.anchor.part];
    return part ? (toPartChange(change, part) ?? []) : [];
  });
}

function toPartChange<Type extends PartLevelChange['type']>(
  change: Extract<PartLevelChange, { type: Type }>,
  part: Part,
): PartChange | undefined {
  const row = rows[change.type];
  return row(change, part);
}
