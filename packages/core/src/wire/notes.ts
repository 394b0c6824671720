import type { NeutralPart, Synthetic } from '../codecs/codec.ts';
import type { PairedCall } from './pair-calls.ts';

/** The error result of a call that has none. */
export const interruptedText = 'interrupted: this call has no result; it may have run in part or not at all';

/** Stand between two messages of one role, or before the first message, where a format wants roles in turn. */
const roleNotes = {
  user: 'Continue.',
  assistant: 'Understood.',
} as const;

/** One message with an error result for each call. */
export function interruptedResults(
  calls: readonly PairedCall[],
  names: ReadonlyMap<PairedCall, string>,
): Synthetic {
  return interrupted(
    calls.map((call) => ({
      callId: names.get(call) ?? call.call.callId,
      name: call.call.name.toWellFormed(),
    })),
  );
}

/** Error results for calls by id and tool name. */
export function interrupted(calls: readonly { readonly callId: string; readonly name: string }[]): Synthetic {
  const parts = calls.map(({ callId, name }): NeutralPart => ({
    type: 'result',
    callId,
    name,
    content: [{ type: 'text', text: interruptedText }],
    isError: true,
  }));
  return { role: 'tool', kind: 'interrupted', parts };
}

export function roleNote(role: 'user' | 'assistant'): Synthetic {
  return { role, kind: 'note', parts: [{ type: 'text', text: roleNotes[role] }] };
}
