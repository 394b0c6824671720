import { applyRepair } from '../wire/apply-repair.ts';
import { repair } from '../wire/repair.ts';
import { viewEntries } from './view-entries.ts';
import type { Repair } from '../wire/repaired.ts';
import type { Transcript } from './transcript.ts';
import type { View } from '../changes/view.ts';

/** A message to send, and where it comes from. */
export interface RenderedMessage<Message> {
  /** `entry`: a message of the history, as it is or edited. `written`: the engine wrote it. */
  readonly source: 'entry' | 'written';
  /** Of a history message. */
  readonly ordinal?: number;
  /** False: `message` is the very object that was handed in. */
  readonly isEdited: boolean;
  readonly message: Message;
}

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
}

/**
 * The wire messages of a view, valid for its format. What nothing has touched is the same object; the same view gives
 * the same bytes; repairs are computed anew for each view, so that a result that comes late heals its call.
 */
export function renderView<Message>(
  transcript: Transcript<Message>,
  view: View,
  { ending = 'send' }: RenderOptions = {},
): Rendered<Message> {
  const { codec } = transcript;
  const found = viewEntries(codec, view);
  const entries = found.map(({ entry }) => entry);
  const { items, repairs } = repair(entries, codec, { ending });
  const applied = applyRepair(entries, items, codec);
  const messages = applied.map(({ message, index, isEdited }): RenderedMessage<Message> => {
    const origin = index === undefined ? undefined : found[index];
    if (origin?.item.type !== 'entry')
      return { source: 'written', isEdited: true, message: message as Message };
    const isAsItWas = !isEdited && origin.entry === origin.item.entry;
    return {
      source: 'entry',
      ordinal: origin.item.entry.ordinal,
      isEdited: !isAsItWas,
      message: message as Message,
    };
  });
  return { messages, repairs };
}
