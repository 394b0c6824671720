/** Says what time it is. The only clock that packages below a composition root know. */
export interface Clock {
  /** Milliseconds since 1970, as on the wall. */
  nowMs(): number;
}

/** Makes ids that are unique over all processes that share a store. */
export interface IdSource {
  /** @param kind what it is for (`message`, `session`, `inbox` …); may be part of the id. */
  nextId(kind: string): string;
}

/** Lets time pass. Handed in, so that tests do not wait. */
export interface Timer {
  /** Resolves after the delay, or at once when the signal is aborted; says which. Never rejects. */
  wait(delayMs: number, signal?: AbortSignal): Promise<'elapsed' | 'aborted'>;
}
