import type { Answer, ModelRequest } from '@throughline/core';

/** Calls a model. The one thing the engine cannot do itself. */
export interface Driver {
  readonly name: string;
  /**
   * Performs one request. Expected failures (overflow, time-out, unavailable, cancelled) are returned as answers
   * of type `failed`; it rejects only for a broken promise of its own (a wrong option, a bug).
   */
  complete(request: ModelRequest, options: { readonly signal?: AbortSignal }): Promise<Answer>;
}
