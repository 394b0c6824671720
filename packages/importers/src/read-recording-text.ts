import { asJson, detectFormat, knownFormats } from './detect-format.ts';
import { requestNames } from './requests/request-formats.ts';
import { jsonFormats, lineFormats } from './formats.ts';
import { formatLabels, formatNames } from './recording/format-names.ts';
import { defaultLimits, readDocument } from './source/read-document.ts';
import { unreadable } from './source/unreadable.ts';
import { readWire } from './wire/read-wire.ts';
import type { FormatReading, ReadOptions } from './recording/format.ts';
import type { FormatName } from './recording/format-names.ts';
import type { RecordedDocument, Recording } from './recording/recording.ts';
import type { DocumentLimits } from './source/read-document.ts';

/** How a recording is read. */
export interface ReadRecordingOptions {
  /** Reads as this format instead of detecting it. */
  readonly format?: FormatName;
  /** Everything as one conversation, as recorded, instead of what the tool would send next. @default false */
  readonly whole?: boolean;
  /** How the source is called in errors. @default the path, or "input" */
  readonly name?: string;
  /** @default 128 000 000 characters of JSON or of one line, 400 000 000 of JSONL */
  readonly limits?: DocumentLimits;
}

/**
 * Reads a recorded session of any known format from pieces of text, wherever they come from; needs nothing of Node.
 * JSONL is read line by line. The first session is the one the tool would go on with; archived parts, branches and
 * subagents follow.
 *
 * @throws ContextError `unreadable-file` with the line where there is one: the text is empty, cut off, too large, mixed,
 * of no known format, or holds no conversation.
 */
export async function readRecordingText(
  chunks: AsyncIterable<string>,
  options: ReadRecordingOptions = {},
): Promise<Recording> {
  const file = options.name ?? 'input';
  const { document, notes } = await readDocument(chunks, file, options.limits ?? defaultLimits);
  const format = options.format ?? formatOf(document, file);
  const read = readAs(format, document, { isWhole: options.whole ?? false });
  if (read === undefined) throw notOfFormat(format, file);
  const { sessions, notes: readingNotes } = read.reading;
  if (!sessions.some(({ messages }) => messages.length > 0)) {
    const why = readingNotes.length > 0 ? ` (${readingNotes[0]?.note})` : '';
    throw unreadable(file, `there is no conversation in it${why}`);
  }
  return { format, sessions, notes: [...notes, ...readingNotes], document: read.document };
}

function formatOf(document: RecordedDocument, file: string): FormatName {
  const found = detectFormat(document);
  if (found.type === 'format') return found.format;
  if (found.type === 'unknown') throw unreadable(file, found.reason);
  const reason = `the file starts as ${found.first}, but this line is of another format (${found.second})`;
  throw unreadable(file, reason, found.line);
}

interface ReadAs {
  readonly reading: FormatReading;
  readonly document: RecordedDocument;
}

function readAs(format: FormatName, document: RecordedDocument, options: ReadOptions): ReadAs | undefined {
  const single = asJson(document);
  const json = jsonFormats.find(({ name }) => name === format);
  const lines = lineFormats.find(({ name }) => name === format);
  if (lines && document.type === 'lines' && !(json && single && json.evidence(single.value) > 0)) {
    return { reading: lines.read(document, options), document };
  }
  if (json) return single && { reading: json.read(single, options), document: single };
  const wire = requestNames.find((name) => name === format);
  if (wire === undefined) return undefined;
  const readable = single ?? document;
  return { reading: readWire(readable, wire), document: readable };
}

function notOfFormat(format: FormatName, file: string): Error {
  if (!formatNames.includes(format))
    return unreadable(file, `there is no format ${String(format)}; ${knownFormats()}`);
  const isLines = lineFormats.some(({ name }) => name === format);
  return unreadable(
    file,
    `not ${formatLabels[format]}: that would be ${isLines ? 'JSONL, one value per line' : 'one JSON value'}`,
  );
}
