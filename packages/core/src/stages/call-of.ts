import { exchangeAt } from '../transcript/conversation.ts';
import type { CallPart, ResultPart } from '../transcript/entry.ts';
import type { View } from '../changes/view.ts';

// More results than this to one response: then a result is read without its call.
const mostBetween = 64;

/**
 * The call that a result in the view answers: not every format repeats the tool's name in the result. Looked for in what
 * the view shows without a break up to the result: a call that was compacted is not known any more.
 */
export function callOf(view: View, position: number, { callId }: ResultPart): CallPart | undefined {
  const { conversation, tailFrom } = view;
  const runStart = position >= tailFrom ? tailFrom : (exchangeAt(conversation, position)?.first ?? position);
  for (let index = position; index >= Math.max(runStart, position - mostBetween); index -= 1) {
    const parts = conversation.entries.at(index)?.parts ?? [];
    const call = parts.find((one): one is CallPart => one.type === 'call' && one.callId === callId);
    if (call) return call;
  }
  return undefined;
}
