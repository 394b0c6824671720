import { countOf } from '../terminal/numbers.ts';
import { describeRepairs } from './describe-repairs.ts';
import { renderView } from '@throughline/core';
import type { Transcript, View } from '@throughline/core';

/** Where the repair leaves nothing that could be sent: that it does, and why. `undefined` where something is left. */
export function whyUnsendable(transcript: Transcript, view: View): string | undefined {
  const { messages, repairs } = renderView(transcript, view);
  if (repairs.length === 0) return undefined;
  const left = messages.map(({ message }, at) => transcript.codec.decode(message, at));
  if (left.some(({ role }) => role !== 'system')) return undefined;
  const count = countOf(transcript.conversation.entries.length, 'message');
  return `none of its ${count} can be sent (${describeRepairs(repairs)})`;
}
