/**
 * The part of the AI SDK's `ModelMessage` that this codec writes: forms that version 6 and 7 share, and version 5
 * except for media inside tool results. It reads more; see `decode.ts`.
 */
export type AiSdkMessage = { providerOptions?: ProviderOptions } & (
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | (TextPart | ImagePart | FilePart)[] }
  | { role: 'assistant'; content: string | (TextPart | FilePart | ReasoningPart | ToolCallPart)[] }
  | { role: 'tool'; content: ToolResultPart[] }
);

/** Options under a name that is no provider's reach no provider. */
export type ProviderOptions = { throughline: { kind: string } };

export interface TextPart {
  type: 'text';
  text: string;
}

export interface ImagePart {
  type: 'image';
  image: string;
  mediaType?: string;
}

export interface FilePart {
  type: 'file';
  data: string;
  mediaType: string;
  filename?: string;
}

export interface ReasoningPart {
  type: 'reasoning';
  text: string;
}

export interface ToolCallPart {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: unknown;
}

export interface ToolResultPart {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: ToolOutput;
}

export type ToolOutput =
  | { type: 'text'; value: string }
  | { type: 'error-text'; value: string }
  | { type: 'content'; value: ToolOutputPart[] };

export type ToolOutputPart =
  | TextPart
  | { type: 'image-data'; data: string; mediaType: string }
  | { type: 'image-url'; url: string }
  | { type: 'file-data'; data: string; mediaType: string; filename?: string }
  | { type: 'file-url'; url: string };
