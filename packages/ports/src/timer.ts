/** Lets time pass. Handed in, so that tests do not wait. */
export interface Timer {
  /** Resolves after the delay, or at once when the signal is aborted; says which. Never rejects. */
  wait(delayMs: number, signal?: AbortSignal): Promise<'elapsed' | 'aborted'>;
}
