import { ContextError } from '@throughline/core';
import type { SessionStore, StoredMessage } from '@throughline/ports';

/** A session, and where it is kept. */
export interface KeptSession {
  readonly store: SessionStore;
  readonly sessionId: string;
}

/**
 * A message by its id, or by its place in the history.
 *
 * @throws {ContextError} `not-found`
 */
export async function findMessage(
  { store, sessionId }: KeptSession,
  place: string | number,
): Promise<StoredMessage> {
  const found =
    typeof place === 'string'
      ? await store.history.find(sessionId, place)
      : (await store.history.messages(sessionId, place, place + 1))[0];
  if (found) return found;
  const details = { kind: 'message', id: String(place), known: [] };
  throw new ContextError('not-found', `There is no message ${place}.`, details);
}
