/** One line of a JSONL file that holds a JSON value. */
export interface SourceLine {
  /** Counted from 1, blank and comment lines included. */
  readonly number: number;
  /** The line as it stands, without its line end. */
  readonly text: string;
  readonly value: unknown;
}

/** A JSONL file: its lines in order, blank lines, comments and unreadable lines left out. */
export interface LinesDocument {
  readonly type: 'lines';
  readonly lines: readonly SourceLine[];
  readonly lineEnd: '\n' | '\r\n';
  /** What ends the last line. */
  readonly finalEnd: '' | '\n' | '\r\n';
}

/** A file that is one JSON value. */
export interface JsonDocument {
  readonly type: 'json';
  /** The file from its first content line on, byte order mark left out. */
  readonly text: string;
  readonly value: unknown;
}

export type RecordedDocument = LinesDocument | JsonDocument;
