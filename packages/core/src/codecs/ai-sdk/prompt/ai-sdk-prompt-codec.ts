import type { Codec } from '../../codec.ts';
import { aiSdkCodec } from '../ai-sdk-codec.ts';
import { mendAiSdkPrompt } from '../mend.ts';
import { composeAiSdkPrompt } from './compose.ts';

/**
 * The AI SDK's prompt as language models and middleware see it: `LanguageModelV2Prompt` to `LanguageModelV4Prompt`.
 * It reads and edits like `ModelMessage`, of which it is the stricter form: only a system message has a bare text.
 */
export const aiSdkPromptCodec: Codec = {
  ...aiSdkCodec,
  name: 'ai-sdk-prompt',
  mend: mendAiSdkPrompt,
  compose: composeAiSdkPrompt,
};
