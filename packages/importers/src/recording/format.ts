import type { Codec } from '@throughline/core';
import type {
  JsonDocument,
  LinesDocument,
  RecordedSession,
  RecordingNote,
  ViewMessage,
} from './recording.ts';

/** How the log of one tool is read, and written back where it holds messages. A tool may have both kinds of file. */
export interface LogFormat {
  readonly lines?: LineFormat;
  readonly json?: JsonFormat;
  /** The codec of its messages, where that is none of the requests' formats. */
  readonly codec?: Codec;
}

/** A tool's log of one JSON value per line. */
interface LineFormat {
  /** Whether a line can only come from this format. Lines that any log may hold are nobody's. */
  readonly owns: (value: unknown) => boolean;
  /** Whether a line that any log may hold is one of this format behind the line that it was recognised by. */
  readonly adopts?: (value: unknown, recognisedBy: unknown) => boolean;
  readonly read: (document: LinesDocument, options: ReadOptions) => FormatReading;
  /** The lines of a file that holds the view. A log of events, which are no messages, has none. */
  readonly write?: WriteLines;
}

/** A file that is one JSON value. */
interface JsonFormat {
  /** How much speaks for this format: 0 for nothing, 1 for a shape that several formats share, more per own mark. */
  readonly evidence: (root: unknown) => number;
  readonly read: (document: JsonDocument, options: ReadOptions) => FormatReading;
  /** What it requires of a message that the engine wrote. */
  readonly complete?: CompleteMessage;
  /** The view as this format can hold it, where messages refer to each other. */
  readonly relink?: (view: readonly ViewMessage[]) => readonly ViewMessage[];
}

export interface ReadOptions {
  /** Everything as one conversation, as recorded: the archived part, the tool's own summaries and all that follows. */
  readonly isWhole: boolean;
}

/** What a format makes of a document. */
export interface FormatReading {
  readonly sessions: readonly RecordedSession[];
  readonly notes: readonly RecordingNote[];
}

export type WriteLines = (request: WriteRequest<LinesDocument>) => string[];

/** What a writer of one format is given: the file it came from, the session, and the view of it. */
export interface WriteRequest<Document = LinesDocument | JsonDocument> {
  readonly document: Document;
  readonly session: RecordedSession;
  readonly view: readonly ViewMessage[];
}

/** Fills in what a format requires of a message that the engine wrote, from the messages around it. */
export type CompleteMessage = (message: unknown, around: Surroundings) => unknown;

interface Surroundings {
  /** The message before it in the new file, as it is written there. */
  readonly before: unknown;
  /** The nearest original message: the one before it, else the next one. */
  readonly nearest: unknown;
  /** Position in the new file. */
  readonly position: number;
}

/** The original nearest to a position of the view: backwards first. */
export function nearestOriginal(view: readonly ViewMessage[], position: number): number | undefined {
  for (let at = position; at >= 0; at -= 1) {
    const item = view[at];
    if (item?.type === 'original') return item.index;
  }
  const next = view.slice(position).find((item) => item.type === 'original');
  return next?.type === 'original' ? next.index : undefined;
}
