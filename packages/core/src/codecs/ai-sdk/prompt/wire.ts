import type { ProviderOptions, ReasoningPart, TextPart, ToolCallPart } from '../wire.ts';

/** The part of the prompt that this codec writes: texts and calls as in versions 2 to 4, media as in version 4. */
export type AiSdkPromptMessage = { providerOptions?: ProviderOptions } & (
  | { role: 'system'; content: string }
  | { role: 'user'; content: (TextPart | PromptFile)[] }
  | { role: 'assistant'; content: (TextPart | PromptFile | ReasoningPart | ToolCallPart)[] }
  | { role: 'tool'; content: PromptResult[] }
);

export interface PromptFile {
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

export type PromptOutput =
  | { type: 'text'; value: string }
  | { type: 'error-text'; value: string }
  | { type: 'content'; value: (TextPart | PromptFile)[] };
