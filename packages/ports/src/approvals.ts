import type { Json } from '@throughline/core';
import type { NewEvent, StoredEvent } from './journal.ts';

/** A question to the user and what became of it. Plain JSON; what is asked and answered is the agent's affair. */
export interface StoredApproval {
  readonly id: string;
  readonly request: Json;
  readonly requestedAtMs: number;
  /** `undefined` while it is pending. */
  readonly answer: Json | undefined;
}

/** Pending approvals and standing permissions; they survive a restart. */
export interface Approvals {
  /** Those of the session that are pending, or answered and not used, oldest first. */
  list(sessionId: string): Promise<readonly StoredApproval[]>;
  /** Answers a pending one, once: `undefined` when there is none pending with this id. Needs no lease. */
  answer(
    sessionId: string,
    reply: { readonly id: string; readonly answer: Json },
    emit?: (approval: StoredApproval) => readonly NewEvent[],
  ): Promise<{ readonly approval: StoredApproval; readonly events: readonly StoredEvent[] } | undefined>;
  /** Standing permissions: those of the session and those that hold for every session. */
  grants(sessionId: string): Promise<readonly Json[]>;
  /** Adds one, for this session or for all; the same one a second time changes nothing. */
  grant(sessionId: string, grant: Json, scope: 'session' | 'always'): Promise<void>;
}
