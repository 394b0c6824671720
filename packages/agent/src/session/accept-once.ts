import { ContextError } from '@throughline/core';
import type { SessionStore } from '@throughline/ports';
import type { MessageQueue } from '../queue/create-queue.ts';
import type { UserContent } from '../queue/store-content.ts';

/** Takes a message into the queue: what waits under its id; position 0 where it was taken before. */
export async function acceptOnce(
  { store, sessionId }: { readonly store: SessionStore; readonly sessionId: string },
  queue: Pick<MessageQueue, 'accept'>,
  { content, id }: { readonly content: UserContent; readonly id?: string | undefined },
): Promise<{ readonly id: string; readonly position: number }> {
  try {
    return (await queue.accept(content, id)).item;
  } catch (error) {
    if (id === undefined || !ContextError.is(error, 'already-exists')) throw error;
    const known = await store.inbox.item(sessionId, id);
    if (known?.state !== 'delivered') throw error;
    return { id, position: 0 };
  }
}
