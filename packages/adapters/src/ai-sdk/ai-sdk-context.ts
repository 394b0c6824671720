import { aiSdkCodec } from '@throughline/core';
import {
  checkMessages,
  checkOptions,
  optionalFlag,
  optionalList,
  optionalText,
} from '@throughline/core/internal';
import { followingOptions, textOf } from '../following/adapter-options.ts';
import { Conversations } from '../following/conversations.ts';
import { answerRecallIn, recallDefinition } from '../following/recall-tool.ts';
import { areSame, CacheMarks } from './cache-marks.ts';
import { inputTokensOf } from './usage.ts';
import type { AiSdkModel } from '@throughline/core/internal';
import type { AdapterOptions, StateStore } from '../following/adapter-options.ts';
import type { Followed, FollowedStep } from '../following/conversations.ts';
import type { CacheMarkOptions } from './cache-marks.ts';
import type { CountedAnswer } from './usage.ts';

/** The options of every adapter, where states are kept, and what `prepareStep` is not told. */
export interface AiSdkOptions extends AdapterOptions, StateStore, CacheMarkOptions {
  /** System text, where the SDK does not hand it to `prepareStep` (before version 7). */
  readonly system?: string;
  /** The tools' schemas, which `prepareStep` never sees: counted from the first request on. */
  readonly tools?: readonly unknown[];
}

/** What the adapter reads of the options of `prepareStep`, in every version of the SDK. */
export interface StepOptions<Message, System = unknown> {
  /** What the step would send: the whole history; from version 7 on, what was sent last and what is new. */
  readonly messages: Message[];
  /** Those before this one. What the provider counted for the last is taken in. */
  readonly steps: readonly CountedAnswer[];
  /** Says whether cache marks are set: only models of Anthropic read them. */
  readonly model?: AiSdkModel;
  /** From version 7 on. */
  readonly instructions?: System;
}

/** What `prepareStep` changes of a step. */
export interface PreparedStep<Message, System> {
  messages: Message[];
  instructions?: NonNullable<System>;
}

/** The tool, but for the schema type of the SDK's version. */
export interface RecallTool<Schema> {
  readonly description: string;
  readonly inputSchema: Schema;
  readonly execute: (input: unknown, options: { readonly messages: readonly unknown[] }) => string;
}

/** What to hand to the loops of the SDK. Dispose of it to stop summaries that are being written. */
export interface AiSdkContext extends Disposable {
  /** For `generateText`, `streamText` and `ToolLoopAgent`. `undefined` where the messages can go as they are. */
  readonly prepareStep: <Message, System>(
    step: StepOptions<Message, System>,
  ) => Promise<PreparedStep<Message, System> | undefined>;
  /**
   * For `onStepEnd` (`onStepFinish` before version 7): takes in the count of a run's last step, which no `prepareStep`
   * follows. Only where the object serves one conversation.
   */
  readonly recordStep: (step: CountedAnswer) => Promise<void>;
  /** A tool for the `tools` of the same call; name it `recall`, and say `hasRecall` in the policy. */
  readonly recallTool: <Schema>(
    jsonSchema: (schema: typeof recallDefinition.parameters) => Schema,
  ) => RecallTool<Schema>;
}

/**
 * Keeps the steps of the AI SDK's loops inside the window: versions 5 and 6, which hand in the whole history at each
 * step, and 7, which carries the last edit forward. One object may serve many conversations.
 */
export function aiSdkContext(options: AiSdkOptions): AiSdkContext {
  checkOptions<AiSdkOptions>('', options, {
    ...followingOptions,
    system: optionalText,
    tools: optionalList,
    cacheMarks: optionalFlag,
  });
  const conversations = new Conversations(aiSdkCodec, options);
  const marks = new CacheMarks(conversations, options);
  const lastSteps = new WeakMap<Followed, FollowedStep>();
  return {
    async prepareStep<Message, System>(given: StepOptions<Message, System>) {
      checkMessages(given.messages);
      const last = given.steps.at(-1);
      const instructions = marks.restore(given.instructions);
      const system = systemText(instructions) ?? options.system;
      const fitted = await conversations.fit(
        given.messages.map((message) => marks.restore(message)),
        { ...(system !== undefined && { system }), ...(options.tools && { tools: options.tools }) },
        last && inputTokensOf(last),
      );
      lastSteps.set(fitted.followed, fitted);
      const sent = marks.mark(fitted.followed, given.model, {
        instructions,
        messages: fitted.messages,
        beside: options.tools ?? [],
        unseenMarks: (options.tools ? 0 : 1) + ('instructions' in given ? 0 : 1),
      });
      const isSameSystem = sent.instructions === given.instructions;
      if (isSameSystem && areSame(sent.messages, given.messages)) return undefined;
      return {
        // The codec writes messages of the very form it reads; a text that got a mark is a list of one message.
        messages: sent.messages as Message[],
        ...(!isSameSystem && { instructions: sent.instructions as NonNullable<System> }),
      };
    },
    async recordStep(step) {
      const followed = conversations.only();
      const last = followed && lastSteps.get(followed);
      if (last) await conversations.count(last, inputTokensOf(step));
    },
    recallTool(jsonSchema) {
      const { description, parameters } = recallDefinition;
      return {
        description,
        inputSchema: jsonSchema(parameters),
        execute: (input, { messages }) => {
          const snapshot = conversations.sentAs(messages.map((message) => marks.restore(message)))?.snapshot;
          return answerRecallIn(snapshot, input);
        },
      };
    },
    [Symbol.dispose]: () => conversations.dispose(),
  };
}

/** Instructions are a text, or system messages. */
function systemText(instructions: unknown): string | undefined {
  return instructions === undefined ? undefined : textOf(instructions, 'instructions');
}
