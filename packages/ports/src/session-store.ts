import type { Approvals } from './approvals.ts';
import type { Attachments } from './attachments.ts';
import type { History } from './history.ts';
import type { Inbox } from './inbox.ts';
import type { Journal } from './journal.ts';
import type { Json } from '@throughline/core';
import type { Lease, Leases } from './leases.ts';
import type { RunWrite, Written } from './run-write.ts';
import type { Sessions } from './sessions.ts';

/**
 * Keeps sessions. What a run stores goes through `write`, under its lease; what others may do meanwhile (accept,
 * rename, answer) needs none. Every method is one transaction: a process that dies leaves all of it or nothing.
 *
 * @throws {ContextError} `store-failed` when the store cannot be used, with the reason.
 */
export interface SessionStore extends AsyncDisposable {
  readonly sessions: Sessions;
  readonly leases: Leases;
  readonly history: History;
  readonly inbox: Inbox;
  readonly journal: Journal;
  readonly approvals: Approvals;
  readonly attachments: Attachments;
  /**
   * Stores all of the writes, in their order, or none.
   *
   * @throws {ContextError} `lease-lost` when another run has taken the session over, or it was deleted; `not-found` for
   * a message, part or checkpoint that is not there (or is finished); `already-exists` for a message id that is taken.
   */
  write(lease: Lease, writes: readonly RunWrite[]): Promise<Written>;
  /** A named value that a run stored; `null` when there is none. */
  value(sessionId: string, name: string): Promise<Json>;
}
