import { entryText } from '@throughline/core';
import type { RenderedMessage, Transcript } from '@throughline/core';
import type { WeighedView } from './weigh-view.ts';
import type { Words } from './compaction.ts';

/** Whether a user's message, named by its position in the history, can still be read in full in what would be sent. */
export function checkWords(
  { conversation }: Transcript,
  position: number,
  rendered: readonly RenderedMessage<unknown>[],
  after: WeighedView,
): Words {
  const entry = conversation.entries.at(position);
  if (!entry) return 'none';
  const own = rendered.filter(({ ordinal }) => ordinal === entry.ordinal);
  if (own.some(({ isEdited }) => !isEdited)) return 'verbatim';
  const text = entryText(entry);
  if (text !== '') {
    for (const shown of after.transcript.conversation.entries) {
      if (shown.parts.some((part) => part.type === 'text' && part.text.includes(text))) return 'verbatim';
    }
  }
  return own.length > 0 ? 'truncated' : 'missing';
}
