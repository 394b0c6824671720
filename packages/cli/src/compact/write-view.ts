import { editText, sameMessage } from '@throughline/core';
import { writeConverted } from './write-converted.ts';
import { writeRecording } from '@throughline/importers';
import type { History } from './history.ts';
import type { OpenedSession } from '../reading/open-session.ts';
import type { RenderedMessage } from '@throughline/core';
import type { TargetName, ViewMessage } from '@throughline/importers';
import type { WrittenView } from './write-converted.ts';

export interface WriteRequest {
  /** A format for a request; by default that of the file. */
  readonly to: TargetName | undefined;
  /** What a request may ask for as an answer, where its format wants that said. */
  readonly answerTokens: number;
}

/** The messages of a view as the text of a file: one like the file that was read, or a request in the format `to`. */
export async function writeView(
  opened: OpenedSession,
  history: History,
  messages: readonly RenderedMessage<unknown>[],
  { to, answerTokens }: WriteRequest,
): Promise<WrittenView> {
  const { recording, session } = opened;
  const written = history.converted
    ? await writeConverted(opened, history, messages, to)
    : writeRecording(recording, session, toViewMessages(messages, history, session.messages), asked(to));
  return to === 'anthropic' ? { ...written, text: withMaxTokens(written.text, answerTokens) } : written;
}

/** Rendered messages as items of the file that was read, so that what did not change keeps its bytes. */
function toViewMessages(
  rendered: readonly RenderedMessage<unknown>[],
  history: History,
  fileMessages: readonly unknown[],
): ViewMessage[] {
  const used = new Set<number>();
  return rendered.map(({ ordinal, message }) => {
    const index = ordinal === undefined ? undefined : history.indexOf(ordinal);
    // A repair may split a message in two: only one of them can take the place of the original.
    if (index === undefined || index >= fileMessages.length || used.has(index))
      return { type: 'written', message };
    used.add(index);
    const original = fileMessages[index];
    const isSame = original === message || sameMessage(original, message);
    return { type: 'original', index, message: isSame ? original : message, isEdited: !isSame };
  });
}

/** The API answers no request that does not say how long the answer may be. */
function withMaxTokens(text: string, answerTokens: number): string {
  const body = JSON.parse(text) as unknown;
  if (typeof body !== 'object' || body === null || Array.isArray(body) || 'max_tokens' in body) return text;
  const isIndented = text.startsWith('{\n  "');
  if (isIndented) return `{\n  "max_tokens": ${answerTokens},${text.slice(1)}`;
  return editText(text, [{ at: ['max_tokens'], set: answerTokens }]) ?? text;
}

function asked(to: TargetName | undefined): { readonly to?: TargetName } {
  return to === undefined ? {} : { to };
}
