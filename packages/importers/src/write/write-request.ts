import type { RecordedSession, ViewMessage } from '../recording.ts';
import type { JsonDocument, LinesDocument } from '../source/document.ts';

/** What a writer of one format is given: the file it came from, the session, and the view of it. */
export interface WriteRequest<Document = LinesDocument | JsonDocument> {
  readonly document: Document;
  readonly session: RecordedSession;
  readonly view: readonly ViewMessage[];
}

/** Fills in what a format requires of a message that the engine wrote, from the messages around it. */
export type CompleteMessage = (message: unknown, around: Surroundings) => unknown;

interface Surroundings {
  /** The message before it in the new file, as it is written there. */
  readonly before: unknown;
  /** The nearest original message: the one before it, else the next one. */
  readonly nearest: unknown;
  /** Position in the new file. */
  readonly position: number;
}

/** The original nearest to a position of the view: backwards first. */
export function nearestOriginal(view: readonly ViewMessage[], position: number): number | undefined {
  for (let at = position; at >= 0; at -= 1) {
    const item = view[at];
    if (item?.type === 'original') return item.index;
  }
  const next = view.slice(position).find((item) => item.type === 'original');
  return next?.type === 'original' ? next.index : undefined;
}
