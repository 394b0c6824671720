/**
 * Why a step failed, as far as one can act on it. Read off the error by what it says, not by who says it.
 *
 * - `overflow`: the prompt (with the room asked for the answer) has more tokens than the model takes.
 * - `bytes`: the request has more bytes than the server takes.
 * - `media`: an image or a file is too large, one too many, of a kind the model does not take, or broken.
 * - `rate`: too many requests or tokens in a stretch of time, or a quota is used up.
 * - `auth`: the key is missing, wrong, without this right, or without money.
 * - `timeout`: nothing came for too long.
 * - `provider`: everything else: a fault of the server, a broken connection, a request it does not understand.
 * - `cancelled`: the caller's signal was aborted.
 */
export type FailureKind =
  | 'overflow'
  | 'bytes'
  | 'media'
  | 'rate'
  | 'auth'
  | 'timeout'
  | 'provider'
  | 'cancelled';

/** A failed step. Plain JSON. */
export interface ModelFailure {
  readonly kind: FailureKind;
  /** What the server said, without the key, at most 2 000 characters. */
  readonly message: string;
  /**
   * The same step can still succeed: `rate`, `timeout` and `provider` by waiting, `overflow`, `bytes` and `media` by
   * sending less. False where only a person can help (key, money, unknown model).
   */
  readonly recoverable: boolean;
  /** HTTP status, where there was one. An error inside a stream comes without, or behind a 200. */
  readonly status?: number;
  /** How long the server asks one to wait. */
  readonly retryAfterMs?: number;
  /** `overflow`: how long the prompt was, as the server counted it. Some count only up to their limit. */
  readonly promptTokens?: number;
  /** `overflow`: the largest request the server takes, so the window to believe in from now on. */
  readonly limitTokens?: number;
  /** `overflow`: the room that was asked for the answer, where it is part of the excess. */
  readonly outputTokens?: number;
  /** What the model does not take at all: the step can go on without it. */
  readonly unsupported?: 'tools' | 'images';
  /** Names the request in the provider's own logs. */
  readonly requestId?: string;
}
