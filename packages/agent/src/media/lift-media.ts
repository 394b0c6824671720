import { describeMedia } from './describe-media.ts';
import { mediaFacts } from './media-facts.ts';
import { replaceMedia } from './replace-media.ts';
import type { MediaSupport } from './media-support-of.ts';
import type { SessionMedia } from './session-media.ts';
import type { SessionMessage } from '@throughline/core';

/** A message without the media that its format takes only from a user, and those media. */
export interface LiftedMedia {
  readonly message: SessionMessage;
  readonly lifted: readonly SessionMedia[];
}

/**
 * Takes the media out of a result whose format (Chat Completions) has no place for them there, so that they can stand
 * in a user message behind it. A text names each in its place. The same object where there is nothing to take out.
 */
export function liftMedia(message: SessionMessage, support: MediaSupport): LiftedMedia {
  const lifted: SessionMedia[] = [];
  const shown = replaceMedia(message, (media, { place }) => {
    if (place !== 'result' || !isForUser(media.mediaType, support)) return media;
    lifted.push(media);
    return { type: 'text', text: `[${describeMedia(mediaFacts(media))}: shown in the next message]` };
  });
  return { message: shown, lifted };
}

function isForUser(mediaType: string, { takes, says }: MediaSupport): boolean {
  return takes(mediaType) && !says(mediaType, 'base64', 'result') && says(mediaType, 'base64', 'user');
}

/** The user message that shows them. */
export function showLifted(lifted: readonly SessionMedia[]): SessionMessage {
  const text = 'What the results above show, in their order:';
  return { id: '', role: 'user', parts: [{ type: 'text', text }, ...lifted] };
}
