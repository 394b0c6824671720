/** One event of a stream, with the bytes it came in. */
export interface SseEvent {
  /** Exactly as they came, line ends and the blank line behind it included. */
  readonly bytes: Uint8Array;
  /** Its `event:` field. */
  readonly name?: string;
  /** Its `data:` fields, joined by line ends. */
  readonly data: string;
  /** Nothing in it reaches a reader: comments, or blank lines. */
  readonly isComment: boolean;
  /** A piece of an event that was too large to be read. */
  readonly isPiece?: true;
  /** The stream ended inside of it. */
  readonly isBroken?: true;
  /** It looks like one before it and adds this text: nothing else of it was read. */
  readonly text?: string;
}

interface SseSplitterOptions {
  /** Larger events pass in pieces and unread. In bytes. @default 8 MiB */
  readonly maxEventBytes?: number;
  /** The text of an event that need not be read as a whole. */
  readonly textIn?: (event: string) => string | undefined;
}

const lineFeed = 10;
const carriageReturn = 13;
const nothing = new Uint8Array();

/**
 * Splits the bytes of a stream into its events, in whatever chunks they come. The bytes of all events, one behind the
 * other, are the bytes of the stream. An event is told as soon as its blank line is there; only a carriage return at the
 * end of a chunk waits for the next byte, unless the stream ends its lines with carriage returns alone.
 */
export class SseSplitter {
  readonly #maxEventBytes: number;
  readonly #textIn: SseSplitterOptions['textIn'];
  readonly #borders = new EventBorders();
  #pieces: Uint8Array[] = [];
  #heldBytes = 0;
  #isTooLarge = false;
  #isFirst = true;

  constructor({ maxEventBytes = 8 * 1024 * 1024, textIn }: SseSplitterOptions = {}) {
    this.#maxEventBytes = maxEventBytes;
    this.#textIn = textIn;
  }

  /** The client has a part of an event that is not whole yet. */
  get isInsidePiece(): boolean {
    return this.#isTooLarge;
  }

  push(chunk: Uint8Array): readonly SseEvent[] {
    const events: SseEvent[] = [];
    this.each(chunk, (event) => events.push(event));
    return events;
  }

  /** Tells each event before the next is read. */
  each(chunk: Uint8Array, tell: (event: SseEvent) => void): void {
    let start = 0;
    for (const end of this.#borders.find(chunk)) {
      this.#hold(chunk.subarray(start, end));
      tell(this.#close());
      start = end;
    }
    this.#hold(chunk.subarray(start));
    if (this.#heldBytes > 0 && (this.#isTooLarge || this.#heldBytes > this.#maxEventBytes)) {
      this.#isTooLarge = true;
      tell({ bytes: this.#takeHeld(), data: '', isComment: false, isPiece: true });
    }
  }

  /** What is left when the stream has ended: an event without its blank line. */
  end(): SseEvent | undefined {
    if (this.#heldBytes === 0) return undefined;
    return this.#borders.isAtBlankLine ? this.#close() : { ...this.#close(), isBroken: true };
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#pieces.push(bytes);
    this.#heldBytes += bytes.length;
  }

  #close(): SseEvent {
    const bytes = this.#takeHeld();
    if (this.#isTooLarge || bytes.length > this.#maxEventBytes) {
      this.#isTooLarge = false;
      this.#isFirst = false;
      return { bytes, data: '', isComment: false, isPiece: true };
    }
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const read = decoder.decode(bytes);
    const text = isFirst ? undefined : this.#textIn?.(read);
    if (text !== undefined) return { bytes, data: '', isComment: false, text };
    return readFields(bytes, isFirst ? read.replace(/^\uFEFF/, '') : read);
  }

  #takeHeld(): Uint8Array {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#heldBytes = 0;
    return pieces.length === 1 ? (pieces[0] ?? nothing) : Buffer.concat(pieces);
  }
}

/** Finds blank lines, byte by byte and across chunks. */
class EventBorders {
  #isLineEmpty = true;
  /** A carriage return that may be followed by the line feed that belongs to it. */
  #waiting: 'nothing' | 'line' | 'blank-line' = 'nothing';
  /** The line before ended with a carriage return alone: so does this one. */
  #hasBareReturns = false;

  get isAtBlankLine(): boolean {
    return this.#waiting === 'blank-line';
  }

  /** Where events end in the chunk, exclusive. */
  find(chunk: Uint8Array): readonly number[] {
    const isPlain = this.#waiting === 'nothing' && !chunk.includes(carriageReturn);
    return isPlain ? this.#findLineFeeds(chunk) : this.#findAny(chunk);
  }

  /** The same where lines end with line feeds alone, as they do in most streams: most bytes are passed over at once. */
  #findLineFeeds(chunk: Uint8Array): readonly number[] {
    const ends: number[] = [];
    let start = 0;
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, start)) {
      if (at === start && this.#isLineEmpty) ends.push(this.#next(at + 1));
      else this.#endLine();
      start = at + 1;
    }
    if (start < chunk.length) this.#isLineEmpty = false;
    return ends;
  }

  #findAny(chunk: Uint8Array): readonly number[] {
    const ends: number[] = [];
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#waiting !== 'nothing') {
        const before = this.#waiting;
        this.#waiting = 'nothing';
        if (before === 'blank-line') ends.push(this.#next(byte === lineFeed ? at + 1 : at));
        else this.#hasBareReturns = byte !== lineFeed;
        if (byte === lineFeed) continue;
      }
      if (byte === lineFeed) {
        if (this.#isLineEmpty) ends.push(this.#next(at + 1));
        else this.#endLine();
      } else if (byte === carriageReturn) {
        if (this.#isLineEmpty && this.#hasBareReturns) ends.push(this.#next(at + 1));
        else this.#waitForLineFeed();
      } else this.#isLineEmpty = false;
    }
    return ends;
  }

  #endLine(): void {
    this.#isLineEmpty = true;
    this.#hasBareReturns = false;
  }

  #waitForLineFeed(): void {
    this.#waiting = this.#isLineEmpty ? 'blank-line' : 'line';
    this.#isLineEmpty = true;
  }

  #next(end: number): number {
    this.#endLine();
    return end;
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** An event by its text. */
export function eventText({ bytes }: SseEvent): string {
  return decoder.decode(bytes);
}

/** The event that these bytes are, by what they read. */
export function readFields(bytes: Uint8Array, text: string): SseEvent {
  const data: string[] = [];
  let name: string | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data.push(value);
    else if (field === 'event') name = value;
  }
  const isComment = data.length === 0 && name === undefined;
  return { bytes, ...(name !== undefined && { name }), data: data.join('\n'), isComment };
}
