import { applyRepair, convertMessages, repair } from '@throughline/core';
import { requestFormats } from '../requests/request-formats.ts';
import type { Codec } from '@throughline/core';
import type { Loss } from '@throughline/core/codec';
import type { TargetName } from '../recording/format-names.ts';
import type { RecordedSession, ViewMessage } from '../recording/recording.ts';

interface Converted {
  readonly text: string;
  readonly losses: readonly Loss[];
}

/**
 * The view in another format: the body of a request as JSON, with the model and the system prompt where the recording
 * has them. Tool schemas stay behind, since each format writes them in its own way. The session format is JSONL.
 */
export function convertRecording(
  session: RecordedSession,
  view: readonly ViewMessage[],
  to: TargetName,
): Converted {
  const entries = view.map(({ message }, ordinal) => session.codec.decode(message, ordinal));
  const { codec: target } = requestFormats[to];
  const { messages, losses } = convertMessages(entries, session.codec, target);
  const { messages: sound, repairs } = repaired(messages, target);
  return { text: requestText(session, sound, to), losses: [...losses, ...repairs, ...toolLosses(session)] };
}

export function toolLosses({ tools }: RecordedSession): Loss[] {
  return tools && tools.length > 0 ? [{ path: 'tools', reason: 'tool schemas stay behind' }] : [];
}

/** What the target format refuses is mended by its own rules, and told: they differ from those of the source. */
function repaired(messages: readonly unknown[], target: Codec): { messages: unknown[]; repairs: Loss[] } {
  const decoded = messages.map((message, ordinal) => target.decode(message, ordinal));
  // The system prompt in front finds its own place in the body.
  const first = decoded.findIndex(({ role }) => role !== 'system');
  const count = first < 0 ? decoded.length : first;
  const entries = decoded.slice(count);
  const { items, repairs } = repair(entries, target, { ending: 'send' });
  return {
    messages: [
      ...messages.slice(0, count),
      ...applyRepair(entries, items, target).map(({ message }) => message),
    ],
    repairs: repairs.map((one) => ({
      path: 'entry' in one ? `messages[${one.entry + count}]` : 'messages',
      reason: one.type,
    })),
  };
}

/** Messages that are in the target format already, as the body of a request. */
export function requestText(session: RecordedSession, messages: readonly unknown[], to: TargetName): string {
  return requestFormats[to].write(messages, session);
}
