import { injectedKind } from '../transcript/injected-text.ts';
import type { CarriedMessage } from '../transcript/summary-record.ts';

export interface SplitMessages {
  /** The user's, and instructions of tools. */
  readonly own: readonly CarriedMessage[];
  /** What tools said in the user's place in passing, each text once: the first of those that are the same. */
  readonly asides: readonly CarriedMessage[];
}

/** The messages that come first where there is little room, and the others. Both keep their order. */
export function splitAsides(messages: readonly CarriedMessage[]): SplitMessages {
  const own: CarriedMessage[] = [];
  const asides = new Map<string, CarriedMessage>();
  for (const message of messages) {
    if (injectedKind(message.text) !== 'aside') own.push(message);
    else if (!asides.has(message.text)) asides.set(message.text, message);
  }
  return { own, asides: [...asides.values()] };
}
