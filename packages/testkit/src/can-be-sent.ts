import { renderView, replay } from '@throughline/core';
import type { Transcript } from '@throughline/core';

/** Whether anything is left of a history once it is mended: of nothing no request is made. */
export function canBeSent(transcript: Transcript): boolean {
  return renderView(transcript, replay(transcript.conversation, []).view).messages.length > 0;
}
