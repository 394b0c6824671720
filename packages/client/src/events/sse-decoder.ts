/** One event of a stream of server-sent events. */
export interface SseEvent {
  /** @default 'message' */
  readonly type: string;
  readonly data: string;
  /** The last id that the stream has named so far; empty before the first. */
  readonly lastEventId: string;
}

/** Reads server-sent events as the HTML standard has them, wherever the text is cut into pieces. */
export class SseDecoder {
  #rest = '';
  /** The piece before ended in a carriage return: a line feed that follows it belongs to it. */
  #endedInReturn = false;
  #type = '';
  #data: string[] = [];
  #lastEventId: string;
  #retryMs: number | undefined;
  #isEmpty = true;

  /** @param lastEventId of the connection before */
  constructor(lastEventId = '') {
    this.#lastEventId = lastEventId;
  }

  /** The last id that came, also where no event came with it. */
  get lastEventId(): string {
    return this.#lastEventId;
  }

  /** No event has come. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** How long to wait before the next connection, where the server has said so. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** Events that this piece completes. What has no end yet waits for more, and is nothing when none comes. */
  push(piece: string): SseEvent[] {
    if (piece === '') return [];
    const text = this.#endedInReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    this.#endedInReturn = piece.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = `${this.#rest}${lines[0] ?? ''}`;
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#line(line) ?? []);
  }

  #line(line: string): SseEvent | undefined {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    // A comment.
    if (colon === 0) return undefined;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.#type = value;
    else if (name === 'data') this.#data.push(value);
    else if (name === 'id' && !value.includes('\0')) this.#lastEventId = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.#retryMs = Number(value);
    return undefined;
  }

  #dispatch(): SseEvent | undefined {
    const type = this.#type === '' ? 'message' : this.#type;
    const data = this.#data;
    this.#type = '';
    this.#data = [];
    if (data.length > 0) this.#isEmpty = false;
    return data.length === 0 ? undefined : { type, data: data.join('\n'), lastEventId: this.#lastEventId };
  }
}

/**
 * The events of a body, one after the other. A byte order mark before them is no part of them.
 *
 * @param onPiece called whenever something comes, be it a comment
 */
export async function* sseEventsOf(
  body: ReadableStream<Uint8Array>,
  decoder: SseDecoder = new SseDecoder(),
  onPiece: () => void = () => {},
): AsyncGenerator<SseEvent, void, undefined> {
  const reader = body.getReader();
  const text = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onPiece();
      yield* decoder.push(text.decode(value, { stream: true }));
    }
  } finally {
    // Whoever stops reading closes the connection; where it is broken already there is nothing to close.
    await reader.cancel().catch(() => {});
  }
}
