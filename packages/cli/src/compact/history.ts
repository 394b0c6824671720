import { emptyState, sameMessage } from '@throughline/core';
import type { Checkpoint, ContextState, RenderedMessage, Transcript } from '@throughline/core';
import type { OpenedSession } from '../reading/open-session.ts';
import type { StateFile } from './state-file.ts';
import type { ViewMessage } from '@throughline/importers';

/** The full history of a session, wherever its messages lie, with what was remembered of it. */
export interface History {
  readonly transcript: Transcript;
  readonly state: ContextState;
  readonly checkpoints: readonly Checkpoint[];
  /** The state file that was gone on from. */
  readonly source: { readonly path: string; readonly file: StateFile } | null;
  /** Where the message with this ordinal lies in the session of the file, as it is or edited. */
  readonly indexOf: (ordinal: number) => number | undefined;
}

/** A session that nothing is remembered of: the file is the history. */
export function newHistory({ transcript }: OpenedSession): History {
  return {
    transcript,
    state: emptyState(),
    checkpoints: [],
    source: null,
    indexOf: (ordinal) => ordinal,
  };
}

/** Rendered messages as items of the file that was read, so that what did not change keeps its bytes. */
export function toViewMessages(
  rendered: readonly RenderedMessage<unknown>[],
  history: History,
  fileMessages: readonly unknown[],
): ViewMessage[] {
  const used = new Set<number>();
  return rendered.map(({ ordinal, message }) => {
    const index = ordinal === undefined ? undefined : history.indexOf(ordinal);
    // A repair may split a message in two: only one of them can take the place of the original.
    if (index === undefined || index >= fileMessages.length || used.has(index))
      return { type: 'written', message };
    used.add(index);
    const original = fileMessages[index];
    const isSame = original === message || sameMessage(original, message);
    return { type: 'original', index, message: isSame ? original : message, isEdited: !isSame };
  });
}
