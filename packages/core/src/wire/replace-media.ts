import { changePart, type Draft, entriesLeft } from './draft.ts';
import { refusedMedia } from './message-content.ts';

/** Puts a note in the place of media that the format does not take there. */
export function replaceMedia(draft: Draft): void {
  for (const entry of entriesLeft(draft)) {
    const value = draft.entries[entry];
    if (!value) continue;
    for (const { media, part, piece } of refusedMedia(value, draft.rules)) {
      if (draft.lostParts.get(entry)?.has(part)) continue;
      const text = mediaNote(media.mediaType, media.filename);
      changePart(draft, entry, { part, change: { type: 'replace-media', part: media, text } });
      draft.repairs.push({
        type: 'media-replaced',
        entry,
        part,
        ...(piece === undefined ? {} : { piece }),
      });
    }
  }
}

/** The text that stands for media which a format does not take in this place. */
function mediaNote(mediaType: string, filename?: string): string {
  const name = filename === undefined ? '' : ` "${filename}"`;
  return `[${mediaType}${name} left out: not accepted in this place]`.toWellFormed();
}
