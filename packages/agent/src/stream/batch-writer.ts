import type { Lease, RunWrite, SessionStore, StoredEvent, Timer, Written } from '@throughline/ports';

interface BatchWriterOptions {
  readonly store: SessionStore;
  /** The lease of now: it is renewed while the run goes on. */
  readonly lease: () => Lease;
  readonly timer: Timer;
  /** Told what is stored, in order. */
  readonly publish: (events: readonly StoredEvent[]) => void;
  /** The store refuses: nothing of this run can be kept any more. Called once. */
  readonly onFailure: (error: unknown) => void;
}

/** A piece of something that streams: pieces of one key that wait together are written as one. */
interface StreamedPiece {
  readonly key: string;
  readonly text: string;
  /** What stores and tells the joined text. */
  readonly writesOf: (text: string) => readonly RunWrite[];
}

/** Streamed text waits at most so long before it is stored and told. A crash costs that and the time it takes to store: less than 100 ms of text. */
const batchDelayMs = 50;

/**
 * The one place where a run writes. What is added is stored in its order, in transactions of at most 50 ms; pieces of
 * one key that follow each other are stored as one. Events are told when they are stored, never before. After a
 * failure nothing more is stored: every later call fails with the same error.
 */
export class BatchWriter {
  readonly #options: BatchWriterOptions;
  #waiting: RunWrite[] = [];
  #open: (Omit<StreamedPiece, 'text'> & { readonly texts: string[] }) | undefined;
  #done: Promise<unknown> = Promise.resolve();
  #isPlanned = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: BatchWriterOptions) {
    this.#options = options;
  }

  add(...writes: readonly RunWrite[]): void {
    this.#closeOpen();
    for (const write of writes) this.#waiting.push(write);
    this.#plan();
  }

  addPiece({ key, text, writesOf }: StreamedPiece): void {
    if (this.#open?.key !== key) {
      this.#closeOpen();
      this.#open = { key, writesOf, texts: [] };
    }
    this.#open.texts.push(text);
    this.#plan();
  }

  /** Stores these and all that waits, in one transaction. */
  commit(...writes: readonly RunWrite[]): Promise<Written> {
    this.#closeOpen();
    const batch = [...this.#waiting, ...writes];
    this.#waiting = [];
    const written = this.#done.then(() => this.#write(batch));
    this.#done = written.catch(() => undefined);
    return written;
  }

  /** Nothing more is stored. */
  get isClosed(): boolean {
    return this.#failure !== undefined;
  }

  /** Stores what waits, and nothing after it: as if the process ended here. Every later call fails with this error. */
  async close(error: unknown): Promise<void> {
    const stored = this.commit().catch(() => undefined);
    const closed = this.#done.then(() => this.#fail(error));
    this.#done = closed;
    await Promise.all([stored, closed]);
  }

  #fail(error: unknown): void {
    if (this.#failure) return;
    this.#failure = { error };
    this.#options.onFailure(error);
  }

  async #write(batch: readonly RunWrite[]): Promise<Written> {
    if (this.#failure) throw this.#failure.error;
    if (batch.length === 0) return { messages: [], events: [], delivered: [] };
    try {
      const written = await this.#options.store.write(this.#options.lease(), batch);
      this.#options.publish(written.events);
      return written;
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    void this.#options.timer.wait(batchDelayMs).then(() => {
      this.#isPlanned = false;
      // Whoever runs learns of a failure by `onFailure`.
      return this.commit().catch(() => undefined);
    });
  }

  #closeOpen(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open) for (const write of open.writesOf(open.texts.join(''))) this.#waiting.push(write);
  }
}
