/**
 * Who reads the streams of which session. A reader that goes away may be a page that is loaded anew, or a user who has
 * stopped: only time tells, and `stop` is called where nobody has come back by then.
 */
export class StreamWatch {
  readonly #readers = new Map<string, number>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #stopAfterMs: number;
  readonly #stop: (sessionId: string) => void;

  constructor(stopAfterMs: number, stop: (sessionId: string) => void) {
    this.#stopAfterMs = stopAfterMs;
    this.#stop = stop;
  }

  enter(sessionId: string): void {
    this.#readers.set(sessionId, (this.#readers.get(sessionId) ?? 0) + 1);
    clearTimeout(this.#timers.get(sessionId));
    this.#timers.delete(sessionId);
  }

  /** @param isCut it went away before the end */
  leave(sessionId: string, isCut: boolean): void {
    const left = (this.#readers.get(sessionId) ?? 1) - 1;
    if (left > 0) {
      this.#readers.set(sessionId, left);
      return;
    }
    this.#readers.delete(sessionId);
    if (!isCut || this.#stopAfterMs === Infinity) return;
    const timer = setTimeout(() => {
      this.#timers.delete(sessionId);
      this.#stop(sessionId);
    }, this.#stopAfterMs);
    timer.unref();
    this.#timers.set(sessionId, timer);
  }
}
