import { checkOptions, oneOfTexts, texts } from '../errors/check-options.ts';
import { checkTranscript, checkView } from './check-input.ts';
import { applyRepair } from '../wire/apply-repair.ts';
import { composeNotes } from './dynamic-context.ts';
import { rememberSound, soundPrefix } from './sound-prefix.ts';
import { repair } from '../wire/repair.ts';
import { viewEntries } from './view-entries.ts';
import type { AppliedMessage } from '../wire/apply-repair.ts';
import type { DynamicContext } from './dynamic-context.ts';
import type { RenderedMessage } from './rendered-message.ts';
import type { Repair } from '../wire/repaired.ts';
import type { Transcript } from './transcript.ts';
import type { ViewEntry } from './view-entries.ts';
import type { View } from '../changes/view.ts';

export interface Rendered<Message> {
  readonly messages: readonly RenderedMessage<Message>[];
  /** What had to be mended so that the format accepts it; empty for a sound history. */
  readonly repairs: readonly Repair[];
}

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
  const continues = sound ? { continues: { callIds: sound.callIds, lastRole: sound.lastRole } } : {};
  const { items, repairs: done } = repair(entries, transcript.codec, { ending, ...continues });
  const repairs = [...mendsOf(found), ...done];
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
