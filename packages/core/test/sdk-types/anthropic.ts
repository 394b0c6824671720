import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import type { AnthropicMessage, AnthropicSystemMessage } from '../../src/codecs/anthropic/anthropic-codec.ts';

/** Compiles only while everything the codec composes is a message of the real SDK. */
export function isSdkMessage(message: AnthropicMessage | AnthropicSystemMessage): MessageParam {
  return message;
}
