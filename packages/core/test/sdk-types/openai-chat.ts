import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { OpenaiChatMessage } from '../../src/codecs/openai-chat/openai-chat-codec.ts';

/** Compiles only while everything the codec composes is a message of the real SDK. */
export function isSdkMessage(message: OpenaiChatMessage): ChatCompletionMessageParam {
  return message;
}
