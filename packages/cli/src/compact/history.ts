import { basename } from 'node:path';
import { emptyState } from '@throughline/core';
import { replay } from '@throughline/core/internal';
import { showUnrepaired, weighView } from './weigh-view.ts';
import type { Checkpoint, ContextState, Transcript } from '@throughline/core';
import type { FormatName } from '@throughline/importers';
import type { OpenedSession } from '../reading/open-session.ts';
import type { StateFile } from '../reading/state-file.ts';
import type { WeighedView } from './weigh-view.ts';

/** The full history of a session, wherever its messages lie, with what was remembered of it. */
export interface SessionHistory {
  readonly transcript: Transcript;
  readonly state: ContextState;
  readonly checkpoints: readonly Checkpoint[];
  /** The state file that was gone on from. */
  readonly source: { readonly path: string; readonly file: StateFile } | null;
  readonly origin: HistoryOrigin;
  /** Set where the file was converted from the history: how far it stands for what was known before. */
  readonly converted?: ConvertedPart;
  /** Where the message with this ordinal lies in the session of the file, as it is or edited. */
  readonly indexOf: (ordinal: number) => number | undefined;
  /** What is in force before anything is done, as it was read: nothing in it is repaired. */
  readonly inForce: WeighedView;
}

/** Where the messages of a history were first read from. */
type HistoryOrigin = StateFile['source'] & { readonly format: FormatName };

interface ConvertedPart {
  /** Messages of the history. */
  readonly known: number;
  /** Messages of the file that they became. */
  readonly written: number;
}

/** A session that nothing is remembered of: the file is the history. */
export function newHistory(opened: OpenedSession): SessionHistory {
  const { transcript } = opened;
  return {
    transcript,
    state: emptyState(),
    checkpoints: [],
    source: null,
    origin: originOf(opened),
    indexOf: (ordinal) => ordinal,
    inForce: { transcript, written: new Set() },
  };
}

export function originOf({ file, recording, session }: OpenedSession): HistoryOrigin {
  return {
    file: basename(file),
    format: recording.format,
    codec: session.codec.name,
    session: session.id,
    ...(session.system === undefined ? {} : { system: session.system }),
  };
}

/** What a state makes of a history, weighed. */
export function weighState(transcript: Transcript, state: ContextState): WeighedView {
  const { view } = replay(transcript.conversation, state.changes);
  return weighView(transcript, showUnrepaired(transcript, view, state).rendered.messages);
}
