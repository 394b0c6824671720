import { aiSdkCodec } from '@throughline/core';
import {
  checkOptions,
  followingOptions,
  optionalList,
  optionalText,
} from '../following/check-adapter-options.ts';
import { Conversations } from '../following/conversations.ts';
import { answerRecall, recallDefinition } from '../following/recall-tool.ts';
import { inputTokensOf } from './usage.ts';
import type { AdapterOptions, StateStore } from '../following/adapter-options.ts';
import type { Followed, FollowedStep } from '../following/conversations.ts';
import type { CountedAnswer } from './usage.ts';

export interface AiSdkOptions extends AdapterOptions, StateStore {
  /** System text, where the SDK does not hand it to `prepareStep` (before version 7). */
  readonly system?: string;
  /** The tools' schemas, which `prepareStep` never sees: counted from the first request on. */
  readonly tools?: readonly unknown[];
}

/** What the adapter reads of the options of `prepareStep`, in every version of the SDK. */
export interface StepOptions<Message> {
  readonly messages: Message[];
  readonly steps: readonly CountedAnswer[];
  readonly instructions?: unknown;
}

/** The tool, but for the schema type of the SDK's version. */
export interface RecallTool<Schema> {
  readonly description: string;
  readonly inputSchema: Schema;
  readonly execute: (input: unknown, options: { readonly messages: readonly unknown[] }) => string;
}

export interface AiSdkContext extends Disposable {
  /** For `generateText`, `streamText` and `ToolLoopAgent`. `undefined` where the messages can go as they are. */
  readonly prepareStep: <Message>(step: StepOptions<Message>) => Promise<{ messages: Message[] } | undefined>;
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
  checkOptions<AiSdkOptions>('', options, { ...followingOptions, system: optionalText, tools: optionalList });
  const conversations = new Conversations(aiSdkCodec, options);
  const lastSteps = new WeakMap<Followed, FollowedStep>();
  return {
    async prepareStep<Message>({ messages, steps, instructions }: StepOptions<Message>) {
      const last = steps.at(-1);
      const system = systemText(instructions) ?? options.system;
      const fitted = await conversations.fit(
        messages,
        { ...(system !== undefined && { system }), ...(options.tools && { tools: options.tools }) },
        last && inputTokensOf(last),
      );
      lastSteps.set(fitted.followed, fitted);
      // The codec writes messages of the very form it reads.
      return fitted.isChanged ? { messages: fitted.messages as Message[] } : undefined;
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
          const snapshot = conversations.sentAs(messages)?.snapshot;
          return snapshot
            ? answerRecall(snapshot.transcript, input, snapshot.windowTokens)
            : 'Nothing has been left out of this conversation.';
        },
      };
    },
    [Symbol.dispose]: () => conversations.dispose(),
  };
}

/** Instructions are a text, or system messages. */
function systemText(instructions: unknown): string | undefined {
  if (instructions === undefined || typeof instructions === 'string') return instructions;
  return JSON.stringify(instructions);
}
