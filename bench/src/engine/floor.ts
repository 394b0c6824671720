import type { ChatMessage } from '../synthetic/chat-transcript.ts';

/** All texts of a transcript, arguments as they are sent. */
export function textsOf(messages: readonly ChatMessage[]): string[] {
  return messages.flatMap((message) => {
    const texts = message.content === null ? [] : [message.content];
    if (message.role !== 'assistant') return texts;
    for (const call of message.tool_calls ?? []) texts.push(call.function.name, call.function.arguments);
    return texts;
  });
}

/** The floor: reads every character once and does nothing with it that could be left out. */
export function readCharacters(texts: readonly string[]): number {
  let sum = 0;
  for (const text of texts) {
    for (let index = 0; index < text.length; index += 1) sum = (sum + text.charCodeAt(index)) | 0;
  }
  return sum;
}
