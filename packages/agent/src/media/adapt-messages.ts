import { liftMedia, showLifted } from './lift-media.ts';
import { withoutUnsupported } from './without-unsupported.ts';
import type { MediaSupport } from './media-support-of.ts';
import type { SessionMedia } from './session-media.ts';
import type { SessionMessage } from '@throughline/core';
import type { UnsupportedMedia } from './without-unsupported.ts';

/**
 * Messages that are sent together, as a model can take them: media of results that its format takes only from a user
 * stand in a message behind the last of them, what it takes nowhere becomes a note. Every result comes before anything
 * else, so nothing stands between a call and its result.
 *
 * @param onLeft told of each that is left out
 */
export function adaptMessages(
  messages: readonly SessionMessage[],
  support: MediaSupport,
  onLeft: (left: UnsupportedMedia) => void,
): readonly SessionMessage[] {
  const adapted: SessionMessage[] = [];
  const lifted: SessionMedia[] = [];
  let resultsEnd = 0;
  for (const message of messages) {
    const one = liftMedia(message, support);
    const { message: shown, left } = withoutUnsupported(one.message, support);
    for (const media of left) onLeft(media);
    for (const media of one.lifted) lifted.push(media);
    adapted.push(shown);
    if (shown.role === 'tool') resultsEnd = adapted.length;
  }
  if (lifted.length === 0) return adapted;
  const behind = withoutUnsupported(showLifted(lifted), support);
  for (const media of behind.left) onLeft(media);
  return [...adapted.slice(0, resultsEnd), behind.message, ...adapted.slice(resultsEnd)];
}
