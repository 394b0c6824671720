import { renderView } from '@throughline/core';
import type { ContextState, Rendered, RenderedMessage, Transcript, View } from '@throughline/core';

/** A view of a history, as its messages. */
export interface ShownView {
  readonly rendered: Rendered<unknown>;
  readonly state: ContextState;
}

/** A view as it would be sent: what the format would refuse is repaired. */
export function showView(transcript: Transcript, view: View, state: ContextState): ShownView {
  return { rendered: renderView(transcript, view, { ending: 'send' }), state };
}

/** The messages of a view as they are: nothing is added, dropped or moved for a format. */
export function showUnrepaired(transcript: Transcript, view: View, state: ContextState): ShownView {
  const { rendered } = showView(transcript, view, state);
  if (rendered.repairs.length === 0) return { rendered, state };
  const edited = new Map(
    rendered.messages.flatMap((one) => (one.ordinal === undefined ? [] : [[one.ordinal, one] as const])),
  );
  const messages = view.items.slice().flatMap((item): readonly RenderedMessage<unknown>[] => {
    if (item.type === 'synthetic') {
      const { messages: composed } = transcript.codec.compose(item.item);
      return composed.map((message) => ({ source: 'written', isEdited: true, message }));
    }
    const { ordinal, wire } = item.entry;
    if (item.changes.length === 0) return [{ source: 'entry', ordinal, isEdited: false, message: wire }];
    return [edited.get(ordinal) ?? []].flat();
  });
  return { rendered: { messages, repairs: [] }, state };
}
