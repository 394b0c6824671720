import type { Codec } from '@throughline/core';
import type { Path } from '@throughline/core/codec';
import type { FormatName } from './format-names.ts';

/** What the provider counted for one model call; per call, never cumulative. */
export interface RecordedUsage {
  /**
   * Index into `messages` of the first message of the response; the prompt of the call was all before it. Equal to
   * their number where the log holds the prompt but not the response.
   */
  readonly messageIndex: number;
  /** Whole prompt: uncached input + cache read + cache write. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly model?: string;
}

/**
 * Where a message lies in its file; what a writer of the same format starts from.
 * `element`: an element of the array at `array`. `line`: the value at `at` in one line. `lines`: one message joined
 * from the content blocks of several lines. `composed`: put together from events; it has no place of its own.
 */
export type Origin =
  | { readonly type: 'element'; readonly array: Path; readonly index: number }
  | { readonly type: 'line'; readonly line: number; readonly at: Path }
  | { readonly type: 'lines'; readonly pieces: readonly OriginPiece[] }
  | { readonly type: 'composed' };

/** What one line of a file holds of a message that was joined from several. */
export interface OriginPiece {
  /** Index into the document's lines. */
  readonly line: number;
  /** How many content blocks of the joined message this line holds. */
  readonly blocks: number;
}

/** One conversation of a file. */
export interface RecordedSession {
  readonly id: string;
  readonly title?: string;
  /** What part of the file it is. Only `active` is what the tool would send next. */
  readonly kind: 'active' | 'archived' | 'branch' | 'subagent';
  readonly codec: Codec;
  /** Wire messages of `codec`, oldest first. */
  readonly messages: readonly unknown[];
  /** Where each message lies in the file; same length as `messages`. */
  readonly origins: readonly Origin[];
  /** System prompt and tool schemas where the log holds them outside the messages. */
  readonly system?: string;
  readonly tools?: readonly unknown[];
  readonly model?: string;
  /** The window that the log itself states, or proves by where its tool compacted. */
  readonly windowTokens?: number;
  readonly usage: readonly RecordedUsage[];
  /** The log holds the whole prompt (system and tools included): recorded usage can be compared exactly. */
  readonly holdsWholePrompt: boolean;
}

/** Something that was not understood or not whole, with its place. */
export interface RecordingNote {
  readonly line?: number;
  readonly note: string;
}

/** A file that was read. Its first session is the one that its tool would go on with. */
export interface Recording {
  readonly format: FormatName;
  readonly sessions: readonly RecordedSession[];
  /** Lines or items that were not understood, with their place; never silent. */
  readonly notes: readonly RecordingNote[];
  /** The file's own text, which unchanged messages are written from. */
  readonly document: RecordedDocument;
}

/** One item of a view on its way back into a file. */
export type ViewMessage =
  /** `messages[index]` of the session, unchanged (`message` is the same object) or edited (`message` differs). */
  | {
      readonly type: 'original';
      readonly index: number;
      readonly message: unknown;
      readonly isEdited: boolean;
    }
  | { readonly type: 'written'; readonly message: unknown };

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

/** The values of a file, with the text that they came from. */
export type RecordedDocument = LinesDocument | JsonDocument;
