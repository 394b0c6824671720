import type { KeyboardEvent } from 'react';

/** Whether a key belongs to a word that is still being composed. */
export function isComposing(event: KeyboardEvent): boolean {
  // Safari says it by the number of the key only.
  return event.nativeEvent.isComposing || event.keyCode === 229;
}

/** Enter sends, wherever a message is written; with Shift it begins a line. */
export function isSendKey(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !event.shiftKey && !event.altKey && !isComposing(event);
}
