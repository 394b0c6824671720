import { ContextError } from '@throughline/core';
import { newEvent } from '../events/new-event.ts';
import { storeContent } from './store-content.ts';
import type { InboxChange, SessionStore, StoredEvent, WaitingItem } from '@throughline/ports';
import type { UserContent } from '@throughline/protocol/types';
import type { Keep } from '../media/session-media.ts';

/** Messages that wait while a run is busy, or are held after one that was cancelled or failed. */
export interface Queue {
  list(): Promise<readonly WaitingItem[]>;
  /** `false` when it does not wait (any more). */
  edit(id: string, content: UserContent): Promise<boolean>;
  remove(id: string): Promise<boolean>;
  /**
   * Puts it at this position, 1 for the next; beyond the last it goes to the end. `false` when it does not wait (any
   * more).
   *
   * @throws {ContextError} `invalid-option` for what is no whole number from 1.
   */
  move(id: string, position: number): Promise<boolean>;
  /** Removes all that wait; how many they were. What is taken meanwhile is not among them. */
  clear(): Promise<number>;
  /** How many wait. */
  pendingCount(): Promise<number>;
}

interface QueueOptions {
  readonly store: Pick<SessionStore, 'inbox' | 'attachments'>;
  readonly sessionId: string;
  /** Told what was stored, once it is. */
  readonly publish: (events: readonly StoredEvent[]) => void;
  /**
   * Whether a run takes the message later: only then is it told that it waits.
   *
   * @param isLeased somebody, in whatever process, works on the session as the store has it
   */
  readonly isBusy: (isLeased: boolean) => boolean;
}

export interface MessageQueue extends Queue {
  /**
   * Stores the message behind all that wait. With the same id again nothing happens: what waits under it is returned.
   *
   * @throws {ContextError} `invalid-option` for content or id, and nothing is stored; `already-exists` when the message of
   * this id was delivered or removed, or the history has another of this id.
   */
  accept(content: UserContent, id?: string): Promise<InboxChange>;
}

/** The messages of one session that wait, stored and told in one. Any number of processes may have one. */
export function createQueue({ store, sessionId, publish, isBusy }: QueueOptions): MessageQueue {
  const { inbox, attachments } = store;
  const keep: Keep = (bytes, mediaType) => attachments.keep(sessionId, bytes, mediaType);
  const published = <Change extends InboxChange | undefined>(change: Change): Change => {
    if (change && change.events.length > 0) publish(change.events);
    return change;
  };
  const remove = async (id: string): Promise<boolean> =>
    published(await inbox.remove(sessionId, id, () => [newEvent('message:removed', { id })])) !== undefined;
  return {
    list: () => inbox.waiting(sessionId),
    async accept(content, id) {
      if (id !== undefined) checkId(id);
      const message = { content: await storeContent(content, keep), ...(id === undefined ? {} : { id }) };
      return published(
        await inbox.accept(sessionId, message, ({ id: accepted, position }, { isLeased }) =>
          isBusy(isLeased) ? [newEvent('message:queued', { id: accepted, position })] : [],
        ),
      );
    },
    async edit(id, content) {
      const change = { id, content: await storeContent(content, keep) };
      return (
        published(await inbox.edit(sessionId, change, () => [newEvent('message:updated', { id })])) !==
        undefined
      );
    },
    remove,
    async move(id, position) {
      checkPosition(position);
      const change = await inbox.move(sessionId, { id, position }, (item) => [
        newEvent('message:moved', { id, position: item.position }),
      ]);
      return published(change) !== undefined;
    },
    clear: async () => {
      let count = 0;
      for (const { id } of await inbox.waiting(sessionId)) if (await remove(id)) count += 1;
      return count;
    },
    pendingCount: async () => (await inbox.waiting(sessionId)).length,
  };
}

/** Takes a message into the queue: what waits under its id; position 0 where it was taken before. */
export async function acceptOnce(
  { store, sessionId }: Pick<QueueOptions, 'store' | 'sessionId'>,
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

function checkPosition(position: unknown): void {
  if (Number.isSafeInteger(position) && Number(position) >= 1) return;
  const expected = 'a whole number from 1';
  throw new ContextError('invalid-option', `Cannot move this message: position must be ${expected}.`, {
    option: 'position',
    expected,
    received: position,
  });
}

/** It becomes the id of a message: see `composeWaiting`. */
function checkId(id: unknown): void {
  if (typeof id === 'string' && /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(id)) return;
  const expected = '1 to 200 characters, none of them a control character';
  const received = typeof id === 'string' ? id.slice(0, 200).toWellFormed() : typeof id;
  throw new ContextError('invalid-option', `Cannot take this message: id must be ${expected}.`, {
    option: 'id',
    expected,
    received,
  });
}
