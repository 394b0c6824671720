/** One line of `doctor`. */
export interface Finding {
  /** What was looked at: `store`, `mcp files` … */
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** What was found and, where it is not good, what to do. */
  readonly message: string;
}

/** One thing that is looked at. */
export interface Check {
  readonly name: string;
  /** Most that it may take. @default 15 000 */
  readonly limitMs?: number;
  /** Gets aborted when its time is over. May throw: that is a `fail`. */
  readonly run: (signal: AbortSignal) => Promise<readonly Finding[]> | readonly Finding[];
}

export function ok(check: string, message: string): Finding {
  return { check, state: 'ok', message };
}

export function warn(check: string, message: string): Finding {
  return { check, state: 'warn', message };
}

export function fail(check: string, message: string): Finding {
  return { check, state: 'fail', message };
}
