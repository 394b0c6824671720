/** Messages of the AI SDK; with text content always as parts they are the prompt of its provider interface, too. */
export type ModelMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user' | 'assistant' | 'tool'; readonly content: string | readonly ModelPart[] };

export type ModelPart =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
    }
  | {
      readonly type: 'tool-result';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: { readonly type: 'text'; readonly value: string };
    }
  | { readonly type: 'file'; readonly mediaType: string; readonly data: string };

/** The same message with its text as a part, as providers get it. */
export function withParts(message: ModelMessage): ModelMessage {
  if (message.role === 'system' || typeof message.content !== 'string') return message;
  return { role: message.role, content: [{ type: 'text', text: message.content }] };
}
