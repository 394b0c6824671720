import { systemTimer } from '@throughline/system';

/** How long a server has to end a stream behind its last event. */
const lastWordsMs = 1_000;

/** Ends a request when the caller's signal does, and at the latest when nobody reads any more. */
export class Connection implements Disposable {
  private readonly closing = new AbortController();
  private readonly caller: AbortSignal;
  private isDraining = false;
  private readonly close = (): void => this.closing.abort();

  constructor(caller: AbortSignal) {
    this.caller = caller;
    if (caller.aborted) this.close();
    caller.addEventListener('abort', this.close, { once: true });
  }

  /** Closes the connection. */
  get signal(): AbortSignal {
    return this.closing.signal;
  }

  /**
   * All that matters was read: the rest is read and thrown away, for a moment, behind the back of the caller. A
   * connection whose stream was read to its end serves the next request.
   */
  drain(rest: AsyncIterator<unknown>): void {
    this.isDraining = true;
    void this.readAway(rest);
  }

  private async readAway(rest: AsyncIterator<unknown>): Promise<void> {
    const read = new AbortController();
    try {
      await Promise.race([readToEnd(rest), systemTimer.wait(lastWordsMs, read.signal)]);
    } catch {
      // Nobody waits for it.
    } finally {
      read.abort();
      this.close();
    }
  }

  [Symbol.dispose](): void {
    this.caller.removeEventListener('abort', this.close);
    if (!this.isDraining) this.close();
  }
}

async function readToEnd(rest: AsyncIterator<unknown>): Promise<void> {
  while ((await rest.next()).done !== true);
}
