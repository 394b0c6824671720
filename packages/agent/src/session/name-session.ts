import { newEvent } from '../events/agent-event.ts';
import { openingOf, titleBy } from '../title/title-of.ts';
import type { Driver, SessionStore, StoredEvent } from '@throughline/ports';

interface Namer {
  /** @default code */
  readonly driver: Driver | undefined;
  readonly hub: { readonly publish: (events: readonly StoredEvent[]) => void };
  readonly signal: AbortSignal;
}

/** Messages in which the first answer is looked for. */
const messagesRead = 20;

/** Gives a session a title where it has none. Never rejects: a session without a title is no fault. */
export async function nameSession(
  { store, sessionId }: { readonly store: SessionStore; readonly sessionId: string },
  { driver, hub, signal }: Namer,
): Promise<void> {
  if (signal.aborted) return;
  try {
    if ((await store.sessions.read(sessionId)).title !== null) return;
    const messages = await store.history.messages(sessionId, 0, messagesRead);
    const opening = openingOf(messages.map(({ message }) => message));
    const title = await titleBy(driver, opening, signal);
    if (title === undefined || signal.aborted) return;
    const events = [newEvent('session:updated', { title })];
    hub.publish(await store.sessions.rename(sessionId, title, events, { onlyUntitled: true }));
  } catch {
    // The next run that ends tries again.
  }
}
