import { createReadStream } from 'node:fs';
import { countLineBreaks } from './count-line-breaks.ts';
import { unreadable } from './unreadable.ts';
import type { RecordingNote } from '../recording.ts';

export interface FileText {
  readonly chunks: AsyncIterable<string>;
  /** Filled while the chunks are read. */
  readonly notes: RecordingNote[];
}

const chunkBytes = 1 << 20;

/**
 * A file as text, piece by piece. Bytes that are not UTF-8 become U+FFFD, with one note that says where the first
 * ones lie. Rejects with `unreadable-file` when the file cannot be opened or read.
 */
export function readFile(path: string): FileText {
  const notes: RecordingNote[] = [];
  return { chunks: decodeFile(path, notes), notes };
}

async function* decodeFile(path: string, notes: RecordingNote[]): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  const isValid = createUtf8Check();
  let lineBreaks = 0;
  for await (const bytes of bytesOf(path)) {
    const text = decoder.decode(bytes, { stream: true });
    if (notes.length === 0 && !isValid(bytes)) notes.push(invalidNote(lineBreaks, text));
    lineBreaks += countLineBreaks(text, text.length);
    yield text;
  }
  const rest = decoder.decode();
  if (rest !== '') {
    if (notes.length === 0) notes.push(invalidNote(lineBreaks, rest));
    yield rest;
  }
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: chunkBytes }))
      yield bytes as Uint8Array;
  } catch (error) {
    throw unreadable(path, sentenceOf(error));
  }
}

/** A check over consecutive pieces; once it has failed it keeps failing. */
function createUtf8Check(): (bytes: Uint8Array) => boolean {
  const strict = new TextDecoder('utf-8', { fatal: true });
  let isValid = true;
  return (bytes) => {
    if (!isValid) return false;
    try {
      strict.decode(bytes, { stream: true });
    } catch {
      isValid = false;
    }
    return isValid;
  };
}

function invalidNote(lineBreaksBefore: number, text: string): RecordingNote {
  const at = text.indexOf('\uFFFD');
  const line = lineBreaksBefore + countLineBreaks(text, Math.max(at, 0)) + 1;
  return {
    line,
    note: 'bytes that are not UTF-8 were replaced by U+FFFD, here and wherever else they occur',
  };
}

function sentenceOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'this is a folder, not a file';
  if (code === 'EACCES') return 'permission to read it is missing';
  return error instanceof Error ? error.message : String(error);
}
