import type { ModelMessage } from 'ai';
import type { AiSdkMessage } from '../../src/codecs/ai-sdk/ai-sdk-codec.ts';

/** Compiles only while everything the codec composes is a message of the real SDK. */
export function isSdkMessage(message: AiSdkMessage): ModelMessage {
  return message;
}
