import type { LanguageModelMiddleware } from 'ai';
import type { AiSdkPromptMessage } from '../../src/codecs/ai-sdk/ai-sdk-prompt-codec.ts';

type Transform = NonNullable<LanguageModelMiddleware['transformParams']>;
type PromptMessage = Parameters<Transform>[0]['params']['prompt'][number];

/** Compiles only while everything the codec composes is a message of the real SDK's prompt. */
export function isSdkPromptMessage(message: AiSdkPromptMessage): PromptMessage {
  return message;
}
