/**
 * Messages of the AI SDK; with text content always as parts they are the prompt of its provider interface, too. Peers
 * work on sessions in this form, or on what an adapter makes of it.
 */
export type ModelMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user' | 'assistant' | 'tool'; readonly content: string | readonly ModelPart[] };

export type ModelPart = TextPart | CallPart | ToolResultPart | FilePart;

interface TextPart {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

interface CallPart {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

interface ToolResultPart {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output:
    | { readonly type: 'text' | 'error-text'; readonly value: string }
    | { readonly type: 'content'; readonly value: readonly unknown[] }
    | { readonly type: 'json' | 'error-json'; readonly value: unknown };
}

interface FilePart {
  readonly type: 'file';
  readonly mediaType: string;
  readonly data: string;
}

/** The same message with its text as a part, as providers get it. */
export function withParts(message: ModelMessage): ModelMessage {
  if (message.role === 'system' || typeof message.content !== 'string') return message;
  return { role: message.role, content: [{ type: 'text', text: message.content }] };
}

/** The parts of a message, its text as one of them. */
export function partsOf({ content }: ModelMessage): readonly ModelPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** What a person would read of a message that calls nothing: its texts. */
export function textOf(message: ModelMessage): string {
  return partsOf(message)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');
}

/** A result as one text. */
export function outputText({ output }: ToolResultPart): string {
  if (typeof output.value === 'string') return output.value;
  if (output.type !== 'content') return JSON.stringify(output.value) ?? '';
  return output.value
    .map((piece) => {
      const { text } = piece as { text?: unknown };
      return typeof text === 'string' ? text : '[media]';
    })
    .join('\n');
}

export function isErrorOutput({ output }: ToolResultPart): boolean {
  return output.type.startsWith('error');
}

/** The arguments of a call as an object: what most libraries insist on. */
export function argumentsOf({ input }: CallPart): Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? (input as Record<string, unknown>)
    : { input };
}
