import type { FormatName, RecordedSession, RecordingNote } from './recording.ts';
import type { JsonDocument, LinesDocument } from './source/document.ts';

export interface ReadOptions {
  /** Everything as one conversation, as recorded: the archived part, the tool's own summaries and all that follows. */
  readonly isWhole: boolean;
}

/** What a format makes of a document. */
export interface FormatReading {
  readonly sessions: readonly RecordedSession[];
  readonly notes: readonly RecordingNote[];
}

/** A tool's log of one JSON value per line. */
export interface LineFormat {
  readonly name: FormatName;
  /** Whether a line can only come from this format. Lines that any log may hold are nobody's. */
  readonly owns: (value: unknown) => boolean;
  /** Whether a line that any log may hold is one of this format behind the line that it was recognised by. */
  readonly adopts?: (value: unknown, recognisedBy: unknown) => boolean;
  readonly read: (document: LinesDocument, options: ReadOptions) => FormatReading;
}

/** A file that is one JSON value. */
export interface JsonFormat {
  readonly name: FormatName;
  /** How much speaks for this format: 0 for nothing, 1 for a shape that several formats share, more per own mark. */
  readonly evidence: (root: unknown) => number;
  readonly read: (document: JsonDocument, options: ReadOptions) => FormatReading;
}
