import { closedFrame, heartbeat, opening } from './event-frame.ts';
import type { ByteSink } from './send-events.ts';
import type { CloseReason } from './event-frame.ts';

/** How long a reader that has enough on its way may take for it, once its stream has ended. */
const lastBytesMs = 5_000;

/**
 * - `reading`: what was missed is read from the journal;
 * - `live`: everything stored was sent, and news are sent as they come;
 * - `stalled`: the reader has enough on its way: nothing is kept for it, the journal has it.
 */
type State = 'reading' | 'live' | 'stalled' | 'closed';

export interface ConnectionOptions {
  readonly sink: ByteSink;
  readonly heartbeatMs: number;
  readonly onClose: () => void;
}

/** A reader of events, however slow it is. What it has no room for is read again when it has, instead of kept. */
export class ReaderConnection {
  readonly #options: ConnectionOptions;
  readonly #readMissed: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #cutOff: NodeJS.Timeout | undefined;
  #state: State = 'reading';

  /** @param readMissed sends what the reader does not have, while the connection `isReading`, and says `goLive` then */
  constructor(options: ConnectionOptions, readMissed: () => Promise<void>) {
    this.#options = options;
    this.#readMissed = readMissed;
  }

  get isReading(): boolean {
    return this.#state === 'reading';
  }

  get isLive(): boolean {
    return this.#state === 'live';
  }

  start(greeting: Buffer = opening): void {
    const { sink, heartbeatMs } = this.#options;
    this.#timer = setInterval(() => this.#beat(), heartbeatMs);
    this.#timer.unref();
    sink.listen({
      onDrain: () => {
        if (this.#state === 'stalled') this.read();
      },
      onClose: () => {
        clearTimeout(this.#cutOff);
        this.#closed();
      },
    });
    if (this.#state === 'closed') return;
    this.send(greeting);
    if (this.#state === 'reading') this.read();
  }

  read(): void {
    this.#state = 'reading';
    void this.#readMissed();
  }

  goLive(): void {
    this.#state = 'live';
  }

  send(bytes: Buffer): void {
    const isFull = !this.#options.sink.write(bytes);
    if (isFull && this.#state !== 'closed') this.#state = 'stalled';
  }

  /** Ends it and says why. A reader that reads gets all of it; one that does not is cut off after a while. */
  close(reason: CloseReason): void {
    if (this.#state === 'closed') return;
    const { sink } = this.#options;
    if (this.#state === 'stalled') this.#cutOff = setTimeout(() => sink.destroy(), lastBytesMs);
    this.#closed();
    sink.write(closedFrame(reason));
    sink.end();
  }

  /** Also looks into the journal: another process may have written, or the session may be gone. */
  #beat(): void {
    if (this.#state !== 'live') return;
    this.send(heartbeat);
    if (this.#state === 'live') this.read();
  }

  #closed(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    clearInterval(this.#timer);
    this.#options.onClose();
  }
}
