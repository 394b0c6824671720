/** Says what time it is. The only clock that packages below a composition root know. */
export interface Clock {
  /** Milliseconds since 1970, as on the wall. */
  nowMs(): number;
}
