import type { Json } from '@throughline/core/codec';

/** What the provider counted for one step. Fields that it does not tell are 0. */
export interface ModelUsage {
  /** The whole prompt: what was computed, read from the cache and written to it, each token once. */
  readonly inputTokens: number;
  /** The whole answer, reasoning included. */
  readonly outputTokens: number;
  /** Part of `outputTokens`. */
  readonly reasoningTokens: number;
  /** Part of `inputTokens`. */
  readonly cacheReadTokens: number;
  /** Part of `inputTokens`. */
  readonly cacheWriteTokens: number;
  /** Input and output. */
  readonly totalTokens: number;
}

/**
 * Why the model stopped. `tool-calls`: it waits for results. `length`: the room for the answer is used up.
 * `window-full`: the window is. `refusal`: refused or filtered. `paused`: it goes on when the same messages and this
 * answer are sent.
 */
export type ModelFinish = 'stop' | 'length' | 'tool-calls' | 'refusal' | 'window-full' | 'paused' | 'other';

/** A call the model made. */
export interface ModelCall {
  readonly callId: string;
  readonly name: string;
  /** The arguments as a value; the text itself where it is no JSON object. */
  readonly input: Json;
  /** The arguments as they were streamed. */
  readonly inputText: string;
  /** The text of the arguments is no JSON object (or, of a tool that takes text, not there): nobody can run it. */
  readonly isInvalid: boolean;
  /** The provider runs it; its result is a `provider-result`, in this step or a later one. */
  readonly isProviderExecuted: boolean;
}

/** What the answer says of itself. */
export interface ModelResponse {
  readonly id?: string;
  /** The model that answered, which may be another than the one asked for. */
  readonly model?: string;
}

/**
 * Everything that can happen in one step, whoever the provider is. Grammar of a stream: any number of events, then
 * exactly one `end` or `error`, and nothing after it. A text or reasoning with its own id begins, gets pieces and ends;
 * it ends also where the stream breaks. A tool input that begins is followed by its `call`, unless the stream breaks.
 * Several may be open at the same time.
 */
export type ModelEvent =
  /** The server has answered; comes before any content, once, where the provider tells it. */
  | { readonly type: 'response-start'; readonly response: ModelResponse }
  | { readonly type: 'text-start'; readonly id: string }
  | { readonly type: 'text-delta'; readonly id: string; readonly text: string }
  | { readonly type: 'text-end'; readonly id: string }
  | { readonly type: 'reasoning-start'; readonly id: string }
  | { readonly type: 'reasoning-delta'; readonly id: string; readonly text: string }
  /** `secret`: what the provider wants back with it (signature, encrypted text), in its own form. */
  | { readonly type: 'reasoning-end'; readonly id: string; readonly secret?: Json }
  | {
      readonly type: 'tool-input-start';
      readonly callId: string;
      readonly name: string;
      readonly isProviderExecuted: boolean;
    }
  | { readonly type: 'tool-input-delta'; readonly callId: string; readonly text: string }
  | { readonly type: 'tool-input-end'; readonly callId: string }
  | { readonly type: 'call'; readonly call: ModelCall }
  | {
      readonly type: 'provider-result';
      readonly callId: string;
      readonly name: string;
      /** In the provider's own form. */
      readonly output: Json;
      readonly isError: boolean;
    }
  /** A file the model made. */
  | { readonly type: 'file'; readonly mediaType: string; readonly base64: string }
  | { readonly type: 'source'; readonly url: string; readonly title?: string }
  /** A try has failed before anything could be seen of it; the next one begins after `delayMs`. */
  | {
      readonly type: 'retry';
      /** The number of the try that comes, from 2. */
      readonly attempt: number;
      readonly delayMs: number;
      readonly nextAtMs: number;
      readonly reason: ModelFailure;
    }
  | { readonly type: 'warning'; readonly warning: ModelWarning }
  | StepEnd
  | StepError;

/** Something that is no failure, and that somebody should know. */
export type ModelWarning =
  /** The server has counted much less than was sent: it cut the prompt without saying so. */
  | { readonly type: 'prompt-cut'; readonly promptTokens: number; readonly expectedTokens: number }
  /** The server took more than the window that is believed in. */
  | { readonly type: 'beyond-window'; readonly promptTokens: number; readonly windowTokens: number }
  /** The request was sent again without this, because the model does not take it. */
  | { readonly type: 'left-out'; readonly what: string; readonly message: string };

/** The answer is whole. */
export interface StepEnd {
  readonly type: 'end';
  readonly finish: ModelFinish;
  /** The provider's own word for it. */
  readonly finishReason: string;
  /** Absent where the provider does not tell. */
  readonly usage?: ModelUsage;
  /** The prompt was cut by the server: `usage.inputTokens` says nothing about what was sent. */
  readonly wasCut?: boolean;
  /** With `wasCut`: the window that the server names when it is asked again. */
  readonly windowTokens?: number;
  /**
   * The answer as messages of the driver's codec, to put behind the history: what the provider wants back unchanged
   * (signatures, encrypted reasoning, ids) is in it. Empty where the answer holds nothing that may be sent again. A call
   * in it wants its result before the next step.
   */
  readonly messages: readonly unknown[];
  readonly response: ModelResponse;
}

/** The step failed. Expected failures end up here; a stream throws only for a bug of its own. */
export interface StepError {
  readonly type: 'error';
  readonly failure: ModelFailure;
  /** The text that came before, as messages that can be sent again. No calls, and no reasoning. */
  readonly messages: readonly unknown[];
}

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
