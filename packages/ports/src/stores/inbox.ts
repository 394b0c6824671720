import type { Json } from '@throughline/core/codec';
import type { NewEvent, StoredEvent } from './journal.ts';

/**
 * `accepted`: it waits. `delivered`: it became a message, alone or with others. `removed`: it was taken out before
 * that.
 */
export type InboxState = 'accepted' | 'delivered' | 'removed';

/** A message that was sent while a run was busy, or the one that starts a run. Plain JSON. */
export interface InboxItem {
  readonly id: string;
  readonly state: InboxState;
  /** What the user sent, in the agent's own form. */
  readonly content: Json;
  readonly acceptedAtMs: number;
  readonly updatedAtMs: number;
  /** Id of the message it became, alone or with others. */
  readonly messageId: string | null;
  /** The run that took it, as far as it said so. */
  readonly runId: string | null;
}

/** A message that waits, and its place among those that wait. */
export interface WaitingItem extends InboxItem {
  readonly state: 'accepted';
  /** 1 for the next. */
  readonly position: number;
}

/** What changed, and the events that were stored with it. */
export interface InboxChange {
  readonly item: WaitingItem;
  readonly events: readonly StoredEvent[];
}

/**
 * Events that are stored in the same transaction as the change they tell of.
 *
 * @param session at that moment. `isLeased`: somebody, in whatever process, has the right to run it.
 */
export type Emit<Emitted> = (told: Emitted, session: { readonly isLeased: boolean }) => readonly NewEvent[];

/**
 * Messages that wait, durably. Nobody needs a lease to accept, edit or remove; delivering is a write of the run, and
 * the only other way out. Everything here is `not-found` when there is no such session.
 */
export interface Inbox {
  /**
   * Stores it behind all that wait. The same id a second time changes nothing and gives what is stored, so that a
   * client may try again.
   *
   * @throws {ContextError} `already-exists` when the id was delivered or removed, or is that of a message.
   */
  accept(
    sessionId: string,
    message: { readonly id?: string; readonly content: Json },
    emit?: Emit<WaitingItem>,
  ): Promise<InboxChange>;
  /** What waits, in order. */
  waiting(sessionId: string): Promise<readonly WaitingItem[]>;
  /** One item, whatever became of it. */
  item(sessionId: string, id: string): Promise<InboxItem | undefined>;
  /** `undefined` when it does not wait (any more). */
  edit(
    sessionId: string,
    change: { readonly id: string; readonly content: Json },
    emit?: Emit<WaitingItem>,
  ): Promise<InboxChange | undefined>;
  /**
   * Puts it before what waits at this position, counted from 1; beyond the last it goes to the end. The others keep
   * their order. `undefined` when it does not wait (any more).
   */
  move(
    sessionId: string,
    place: { readonly id: string; readonly position: number },
    emit?: Emit<WaitingItem>,
  ): Promise<InboxChange | undefined>;
  /** The item as it waited; `undefined` when it does not wait (any more). */
  remove(sessionId: string, id: string, emit?: Emit<WaitingItem>): Promise<InboxChange | undefined>;
}
