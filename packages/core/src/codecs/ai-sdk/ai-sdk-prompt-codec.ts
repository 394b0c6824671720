import type { Codec, Composed, Loss, NeutralContent, NeutralPart, Synthetic } from '../codec.ts';
import type {
  AiSdkMessage,
  FilePart,
  ImagePart,
  ProviderOptions,
  ReasoningPart,
  ToolCallPart,
  ToolOutput,
  ToolOutputPart,
} from './ai-sdk-codec.ts';
import { aiSdkCodec, composeAiSdk } from './ai-sdk-codec.ts';
import { mendAiSdkPrompt } from './mend.ts';
import type { TextBlock } from '../neutral-parts.ts';
import { mediaStub, textBlock } from '../neutral-parts.ts';

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

/** The composed `ModelMessage`s in the form the SDK itself would give them to a model. */
function composeAiSdkPrompt(item: Synthetic): Composed<AiSdkPromptMessage> {
  const losses: Loss[] = [];
  const parts = item.parts.map((part, index): NeutralPart => {
    const lose = (reason: string): void => void losses.push({ path: `parts[${index}]`, reason });
    if (part.type === 'result') return { ...part, content: part.content.map((one) => inline(one, lose)) };
    return part.type === 'media' ? inline(part, lose) : part;
  });
  const composed = composeAiSdk({ ...item, parts });
  return { messages: composed.messages.map(asPrompt), losses: [...losses, ...composed.losses] };
}

/** A prompt holds URLs as objects, which no JSON has: only a text can stand for such media. */
function inline(content: NeutralContent, lose: (reason: string) => void): NeutralContent {
  if (content.type === 'text' || content.source.type === 'base64') return content;
  lose('media at a URL cannot be written into a prompt');
  return textBlock(mediaStub(content));
}

function asPrompt(message: AiSdkMessage): AiSdkPromptMessage {
  if (message.role === 'system') return message;
  if (message.role === 'tool') {
    return {
      ...message,
      content: message.content.map((result) => ({ ...result, output: asOutput(result.output) })),
    };
  }
  if (message.role === 'user') return { ...message, content: listOf(message.content).map(asPart) };
  return {
    ...message,
    content: listOf(message.content).map((part) => (part.type === 'file' ? asFile(part) : part)),
  };
}

function listOf<Part>(content: string | Part[]): (TextBlock | Part)[] {
  return typeof content === 'string' ? [textBlock(content)] : content;
}

function asPart(part: TextBlock | ImagePart | FilePart): TextBlock | PromptFile {
  if (part.type === 'text') return part;
  if (part.type === 'file') return asFile(part);
  return { type: 'file', data: { type: 'data', data: part.image }, mediaType: part.mediaType ?? 'image' };
}

function asFile({ data, ...file }: FilePart): PromptFile {
  return { ...file, data: { type: 'data', data } };
}

function asOutput(output: ToolOutput): PromptOutput {
  return output.type === 'content' ? { type: 'content', value: output.value.flatMap(asOutputPart) } : output;
}

function asOutputPart(part: ToolOutputPart): (TextBlock | PromptFile)[] {
  if (part.type === 'text') return [part];
  if (part.type === 'image-url' || part.type === 'file-url') return [];
  const { data, mediaType } = part;
  const filename = part.type === 'file-data' && part.filename !== undefined && { filename: part.filename };
  return [{ type: 'file', data: { type: 'data', data }, mediaType, ...filename }];
}

/** The part of the prompt that this codec writes: texts and calls as in versions 2 to 4, media as in version 4. */
export type AiSdkPromptMessage = { providerOptions?: ProviderOptions } & (
  | { role: 'system'; content: string }
  | { role: 'user'; content: (TextBlock | PromptFile)[] }
  | { role: 'assistant'; content: (TextBlock | PromptFile | ReasoningPart | ToolCallPart)[] }
  | { role: 'tool'; content: PromptResult[] }
);

interface PromptFile {
  type: 'file';
  data: { type: 'data'; data: string };
  mediaType: string;
  filename?: string;
}

interface PromptResult {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: PromptOutput;
}

type PromptOutput =
  | { type: 'text'; value: string }
  | { type: 'error-text'; value: string }
  | { type: 'content'; value: (TextBlock | PromptFile)[] };
