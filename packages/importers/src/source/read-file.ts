import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';
import { errorMessage } from '@throughline/core/internal';
import { countLineBreaks } from './lines.ts';
import { unreadable } from './unreadable.ts';
import type { RecordingNote } from '../recording/recording.ts';

interface FileText {
  readonly chunks: AsyncIterable<string>;
  /** Filled while the chunks are read. */
  readonly notes: RecordingNote[];
}

const chunkBytes = 1 << 20;

/**
 * A file as text, piece by piece: UTF-8, or UTF-16 where a byte order mark says so, which a note tells. Bytes that
 * the encoding has no text for become U+FFFD, with one note that says where the first ones lie. Rejects with
 * `unreadable-file` when the file cannot be opened or read, and for one that is packed.
 */
export function readFile(path: string): FileText {
  const notes: RecordingNote[] = [];
  return { chunks: decodeFile(path, notes), notes };
}

async function* decodeFile(path: string, notes: RecordingNote[]): AsyncGenerator<string> {
  let reader: TextReader | undefined;
  for await (const bytes of bytesOf(path)) {
    const packed = reader ? undefined : packedFile(bytes);
    if (packed !== undefined) throw unreadable(path, packed);
    reader ??= new TextReader(encodingOf(bytes), notes);
    yield reader.read(bytes);
  }
  const rest = reader?.end() ?? '';
  if (rest !== '') yield rest;
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** What the byte order mark at the start of a file says. */
function encodingOf([first, second]: Uint8Array): Encoding {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

class TextReader {
  readonly #encoding: Encoding;
  readonly #decoder: TextDecoder;
  readonly #isValid: (bytes: Uint8Array) => boolean;
  readonly #notes: RecordingNote[];
  #lineBreaks = 0;
  #hasInvalidNote = false;

  constructor(encoding: Encoding, notes: RecordingNote[]) {
    this.#encoding = encoding;
    this.#decoder = new TextDecoder(encoding);
    this.#isValid = createCheck(encoding);
    this.#notes = notes;
    if (encoding !== 'utf-8')
      notes.push({ note: `read as ${encoding.toUpperCase()}; it is written as UTF-8` });
  }

  read(bytes: Uint8Array): string {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (!this.#isValid(bytes)) this.#noteInvalid(text);
    this.#lineBreaks += countLineBreaks(text, text.length);
    return text;
  }

  /** What the end of the file cuts off. */
  end(): string {
    const rest = this.#decoder.decode();
    if (rest !== '') this.#noteInvalid(rest);
    return rest;
  }

  #noteInvalid(text: string): void {
    if (this.#hasInvalidNote) return;
    this.#hasInvalidNote = true;
    this.#notes.push(invalidNote(this.#encoding, this.#lineBreaks, text));
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
function createCheck(encoding: Encoding): (bytes: Uint8Array) => boolean {
  const strict = new TextDecoder(encoding, { fatal: true });
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

function invalidNote(encoding: Encoding, lineBreaksBefore: number, text: string): RecordingNote {
  const at = text.indexOf('\uFFFD');
  const line = lineBreaksBefore + countLineBreaks(text, Math.max(at, 0)) + 1;
  return {
    line,
    note: `bytes that are not ${encoding.toUpperCase()} were replaced by U+FFFD, here and wherever else they occur`,
  };
}

function sentenceOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'this is a folder, not a file';
  if (code === 'EACCES') return 'permission to read it is missing';
  return errorMessage(error);
}

/** How files begin that hold no text, and what to do about each. */
const beginnings: readonly (readonly [bytes: readonly number[], sentence: string])[] = [
  [[0x1f, 0x8b], 'this is a gzip file; unpack it first (gzip -d)'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'this is a zstd file; unpack it first (zstd -d)'],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'this is an xz file; unpack it first (xz -d)'],
  [[0x42, 0x5a, 0x68], 'this is a bzip2 file; unpack it first (bzip2 -d)'],
  [[0x50, 0x4b, 0x03, 0x04], 'this is a zip archive; unpack it first, and give a file of it'],
  [
    [...'SQLite format 3\0'].map((character) => character.charCodeAt(0)),
    'this is an SQLite database; export the session from the tool that keeps it, as JSON',
  ],
];

/** Says of a packed file or a database what it is, from its first bytes. */
function packedFile(start: Uint8Array): string | undefined {
  return beginnings.find(([bytes]) => bytes.every((byte, index) => start[index] === byte))?.[1];
}
