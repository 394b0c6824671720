/** One measured piece of a request, named so that a person can act on it. */
export interface MeasuredPart {
  /** `system`, `tools`, `task`, `request`, `pins`, `unanswered` … */
  readonly name: string;
  readonly tokens: number;
  readonly recallId?: string;
}

/** Why a store cannot be used. */
export type StoreFailure =
  | 'no-such-folder'
  | 'not-permitted'
  | 'not-a-store'
  | 'corrupt'
  | 'locked'
  | 'full'
  | 'unreachable'
  | 'no-connection-free'
  | 'server-too-old'
  | 'closed'
  | 'other';

/** What each failure carries. Adding a code means adding a row here; the compiler finds the rest. */
export interface ErrorDetails {
  'invalid-option': { readonly option: string; readonly expected: string; readonly received: unknown };
  'bad-wire-format': { readonly format: string; readonly path: string; readonly expected: string };
  'bad-state': { readonly expected: string; readonly received: unknown };
  'cannot-fit': {
    readonly usableTokens: number;
    readonly irreducibleTokens: number;
    readonly parts: readonly MeasuredPart[];
    /** Where bytes or media are what does not fit. */
    readonly wire?: {
      readonly bytes: number;
      readonly media: number;
      readonly maxBytes?: number;
      readonly maxMedia?: number;
    };
  };
  /** Messages `[first, end)` of the history that a view needs and that were not loaded. */
  'not-loaded': { readonly first: number; readonly end: number };
  'undo-refused': { readonly usableTokens: number; readonly viewTokens: number };
  'driver-failed': { readonly driver: string; readonly retryable: boolean; readonly status?: number };
  'unreadable-file': { readonly file: string; readonly line?: number; readonly reason: string };
  'not-found': { readonly kind: string; readonly id: string; readonly known: readonly string[] };
  'already-exists': { readonly kind: string; readonly id: string };
  'lease-lost': { readonly sessionId: string; readonly epoch: number; readonly currentEpoch: number | null };
  'quota-exceeded': {
    readonly owner: string;
    readonly quota: 'sessions' | 'runs' | 'tokens';
    readonly limit: number;
    readonly used: number;
    /** When it may be tried again; `null` where no time helps. */
    readonly retryAfterMs: number | null;
  };
  'store-failed': { readonly store: string; readonly reason: StoreFailure };
  'store-version': {
    readonly store: string;
    readonly storedVersion: number;
    readonly supportedVersion: number;
  };
  cancelled: Record<string, never>;
}

/** Code of a `ContextError`. `ErrorDetails` says what an error of each code carries. */
export type ErrorCode = keyof ErrorDetails;

// Registered globally, so the check still holds when two copies of this package are installed.
const brand = Symbol.for('throughline.ContextError');

/** The only error this project throws on purpose. Branch on `code`, never on `message`. */
export class ContextError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly [brand] = true;
  override readonly name = 'ContextError';
  readonly code: Code;
  readonly details: ErrorDetails[Code];

  constructor(code: Code, message: string, details: ErrorDetails[Code], options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }

  static is<Code extends ErrorCode>(error: unknown, code?: Code): error is ContextError<Code> {
    if (!(error instanceof Error) || !(brand in error)) return false;
    return code === undefined || (error as ContextError).code === code;
  }
}

/** What a thrown value says: an error its message, anything else as a text. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
