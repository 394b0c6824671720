import { aiSdkPromptCodec, checkOptions, optionalFlag, optionalText } from '@throughline/core/internal';
import { followingOptions } from '../following/adapter-options.ts';
import { Conversations } from '../following/conversations.ts';
import { areSame, CacheMarks } from './cache-marks.ts';
import { inputTokensOf } from './usage.ts';
import type { AiSdkModel } from '@throughline/core/internal';
import type { AdapterOptions, StateStore } from '../following/adapter-options.ts';
import type { FollowedStep } from '../following/conversations.ts';
import type { CacheMarkOptions } from './cache-marks.ts';
import type { CountedAnswer } from './usage.ts';

/** The options of every adapter, where states are kept, and for which version of the SDK. */
export interface MiddlewareOptions<Version extends string>
  extends AdapterOptions, StateStore, CacheMarkOptions {
  /** What the SDK's types ask for: `v4` for version 7, `v3` for version 6; version 5 does not ask. @default 'v4' */
  readonly specificationVersion?: Version;
}

/** What the middleware reads of the options of a model call, in every version of the SDK. */
export interface CallOptions {
  /** The messages of the call, in the form that models take. */
  readonly prompt: readonly unknown[];
  /** Counted with the prompt. */
  readonly tools?: readonly unknown[] | undefined;
}

interface Answered extends CountedAnswer {
  readonly usage: NonNullable<CountedAnswer['usage']>;
}

interface Streamed<Part> {
  readonly stream: ReadableStream<Part>;
}

/**
 * A middleware for `wrapLanguageModel`: it makes the prompt of a call fit, and takes in what the provider counted.
 * Dispose of it to stop summaries that are being written.
 */
export interface ContextMiddleware<Version extends string> extends Disposable {
  readonly specificationVersion: Version;
  readonly transformParams: <Params extends CallOptions>(call: {
    readonly params: Params;
    readonly model?: AiSdkModel;
  }) => Promise<Params>;
  readonly wrapGenerate: <Result extends Answered>(call: {
    readonly doGenerate: () => PromiseLike<Result>;
    readonly params: CallOptions;
  }) => Promise<Result>;
  readonly wrapStream: <Part, Result extends Streamed<Part>>(call: {
    readonly doStream: () => PromiseLike<Result & Streamed<Part>>;
    readonly params: CallOptions;
  }) => Promise<Result>;
}

/**
 * Keeps every call of a language model inside its window, for people who cannot change the loop around it: hand it to
 * the SDK's `wrapLanguageModel`. The loop goes on holding the whole history; the same history gives the same prompt.
 * One object may serve many conversations.
 */
export function contextMiddleware<Version extends string = 'v4'>(
  options: MiddlewareOptions<Version>,
): ContextMiddleware<Version> {
  checkOptions<MiddlewareOptions<Version>>('', options, {
    ...followingOptions,
    specificationVersion: optionalText,
    cacheMarks: optionalFlag,
  });
  const conversations = new Conversations(aiSdkPromptCodec, options);
  const marks = new CacheMarks(conversations, options);
  const calls = new WeakMap<CallOptions, FollowedStep>();
  const count = async (params: CallOptions, answer: CountedAnswer): Promise<void> => {
    const step = calls.get(params);
    if (step) await conversations.count(step, inputTokensOf(answer));
  };
  return {
    specificationVersion: options.specificationVersion ?? ('v4' as Version),
    async transformParams({ params, model }) {
      const { prompt, tools } = params;
      const step = await conversations.fit(prompt, tools ? { tools } : {});
      const { messages } = marks.mark(step.followed, model, {
        messages: step.messages,
        beside: [...(tools ?? []), params],
      });
      const told = areSame(messages, prompt) ? params : { ...params, prompt: messages };
      calls.set(told, step);
      return told;
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      await count(params, result);
      return result;
    },
    async wrapStream<Part, Result extends Streamed<Part>>({
      doStream,
      params,
    }: {
      readonly doStream: () => PromiseLike<Result & Streamed<Part>>;
      readonly params: CallOptions;
    }) {
      const result = await doStream();
      return {
        ...result,
        stream: result.stream.pipeThrough(watched((part: Part) => count(params, finishOf(part)))),
      };
    },
    [Symbol.dispose]: () => conversations.dispose(),
  };
}

/** Lets every part through, after it was looked at. */
function watched<Part>(look: (part: Part) => Promise<void>): TransformStream<Part, Part> {
  return new TransformStream({
    async transform(part, controller) {
      await look(part);
      controller.enqueue(part);
    },
  });
}

/** The part that ends a stream carries the usage. */
function finishOf(part: unknown): CountedAnswer {
  const isFinish = typeof part === 'object' && part !== null && 'type' in part && part.type === 'finish';
  return isFinish ? (part as CountedAnswer) : {};
}
