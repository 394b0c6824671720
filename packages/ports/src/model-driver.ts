import type { Answer, Codec, ModelRequest } from '@throughline/core';
import type { Json } from '@throughline/core/codec';
import type { ModelEvent } from './model-event.ts';

/** A tool as a model is told of it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments: an object. */
  readonly inputSchema: { readonly [key: string]: unknown };
}

/** One step of a conversation: one call of a model. */
export interface StepRequest {
  /** Text, or the form in which the provider takes it (blocks with cache marks). */
  readonly system?: unknown;
  /** Messages of the driver's codec, sent as they are. */
  readonly messages: readonly unknown[];
  /** Told in the form of the provider; one that has its form already (with cache marks, or its own) goes in `settings`. */
  readonly tools?: readonly ModelTool[];
  /** `none`: the tools stay in the prompt, so that its cache is found, and the model does not use them. @default 'auto' */
  readonly toolChoice?: 'auto' | 'none' | 'required';
  /** Most tokens of answer, reasoning included. @default the provider's; where it wants a number, the model's most */
  readonly maxOutputTokens?: number;
  /** Left out where the model refuses it. */
  readonly temperature?: number;
  /** Names the conversation: for the provider's cache, and to compare a step with the one before. */
  readonly conversationId?: string;
  /** Further fields of the provider's request, as it has them; they win over what the driver writes. */
  readonly settings?: { readonly [name: string]: Json };
}

/** Limits of a model in tokens. What is absent is not known. */
export interface DriverLimits {
  readonly windowTokens?: number;
  readonly maxOutputTokens?: number;
  /** Where a prompt may not take all of the window. */
  readonly maxInputTokens?: number;
}

/** What is known of a model beside its limits: from its server, or from the user. */
export interface DriverAbilities {
  readonly hasTools?: boolean;
  readonly hasImages?: boolean;
}

/** What is done around every step already, so that nobody does it a second time. */
export interface DriverGuards {
  /** A step that failed for a passing reason is tried again. */
  readonly hasRetry?: true;
  /** A step of which nothing comes any more is ended. */
  readonly hasIdleLimit?: true;
}

/**
 * Calls a model, one step at a time. It runs no tools: it reports the calls, and whoever asked answers them in the
 * messages of the next request.
 */
export interface ModelDriver {
  /** For people and logs: provider and model. */
  readonly name: string;
  /** The provider, as `llm:response` names it. */
  readonly provider: string;
  readonly model: string;
  /** The format of the messages it takes and reports. */
  readonly codec: Codec;
  /** What the driver itself knows of the model's limits; the rest is asked of the catalogue and the server. */
  readonly limits?: DriverLimits;
  /** What it is known to take or not; the rest is asked of the catalogue. */
  readonly abilities?: DriverAbilities;
  /** What it does beyond calling the model. @default nothing */
  readonly guards?: DriverGuards;
  /**
   * Performs one step. Nothing is sent before the first event is asked for. When the signal is aborted the stream ends
   * at once with `cancelled`, whatever the server does, and the connection is closed; so it is when the reader stops
   * reading. May be called any number of times, also at the same time; keeps nothing of a request after its end.
   */
  stream(request: StepRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ModelEvent>;
}

/** Calls a model. The one thing the engine cannot do itself. */
export interface Driver {
  readonly name: string;
  /**
   * Performs one request. Expected failures (overflow, time-out, unavailable, cancelled) are returned as answers
   * of type `failed`; it rejects only for a broken promise of its own (a wrong option, a bug).
   */
  complete(request: ModelRequest, options: { readonly signal?: AbortSignal }): Promise<Answer>;
}
