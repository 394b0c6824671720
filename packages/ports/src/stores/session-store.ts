import type { Json } from '@throughline/core/codec';
import type { History } from './history.ts';
import type { Inbox } from './inbox.ts';
import type { Journal, NewEvent, StoredEvent } from './journal.ts';
import type { ProxyStore } from './proxy-store.ts';
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
  /** Absent: nobody's use can be limited by tokens, sessions or runs. */
  readonly usage?: OwnerUsage;
  /** Absent: what is changed of the settings holds until the process ends. */
  readonly settings?: SettingsStore;
  /** What the proxy keeps beside the sessions. */
  readonly proxy: ProxyStore;
  /**
   * Stores all of the writes, in their order, or none.
   *
   * @throws {ContextError} `lease-lost` when another run has taken the session over, or it was deleted; `not-found` for
   * a message, part or checkpoint that is not there (or is finished); `already-exists` for a message id that is taken.
   */
  write(lease: Lease, writes: readonly RunWrite[]): Promise<Written>;
  /** A named value that a run stored; `null` when there is none. */
  value(sessionId: string, name: string): Promise<Json>;
  /** How the processes stand that share the store now; absent where that is not a matter of more than one machine. */
  readonly fleet?: () => Promise<FleetState>;
}

/** Processes on one store, as one of them sees them. */
export interface FleetState {
  /** Processes whose death the others notice at once, this one included. */
  readonly nodes: number;
  /** Whether the death of this one is noticed at once. */
  readonly hasCrashDetector: boolean;
  /** Sessions that a process works on now, whichever it is. */
  readonly leasedSessions: number;
  /** Connections of this process that work, those that do not, and how many wait for one. */
  readonly connections: { readonly busy: number; readonly idle: number; readonly wanted: number };
}

/** The right to run one session. Every write of the run carries it; a newer one makes it void. */
export interface Lease {
  readonly sessionId: string;
  readonly owner: string;
  /** Counts up with each acquisition: what carries an older one is refused. */
  readonly epoch: number;
  readonly expiresAtMs: number;
}

/** What has become of a lease: see `Leases.look`. */
export type LeaseState = 'good' | 'expired' | 'cancel' | 'void';

/** Makes sure that two runs, in whatever processes, never work on one session. */
export interface Leases {
  /**
   * The lease, or `undefined` while another run holds it. One that has expired is taken over.
   *
   * @param owner names the run or process, for people; it need not be unique.
   * @throws {ContextError} `not-found` when there is no such session.
   */
  acquire(sessionId: string, owner: string, ttlMs: number): Promise<Lease | undefined>;
  /** The lease with a new expiry, or `undefined` when another run has taken it over: stop. */
  renew(lease: Lease, ttlMs: number): Promise<Lease | undefined>;
  /**
   * What has become of a lease, by the clock of the store; one cheap reading. `expired`: nobody has taken the session
   * over, but somebody may: renew it before anything is done. `cancel`: its run is to end. `void`: stop at once.
   */
  look(lease: Lease): Promise<LeaseState>;
  /**
   * Asks whoever runs the session now, in whatever process, to cancel; `false` where nobody does. A later run is not
   * meant. Needs no lease.
   *
   * @throws {ContextError} `not-found` when there is no such session.
   */
  cancel(sessionId: string): Promise<boolean>;
  /** Gives it back and sets the session idle; `false` when it was lost before. */
  release(lease: Lease): Promise<boolean>;
}

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

/** Bytes and long texts beside the messages. They live as long as a session that refers to them. */
export interface Attachments {
  /**
   * Stores bytes for a session; the hash is their name. A message refers to them as `@blob:` with the hash.
   *
   * @param mediaType what they are said to be; the last one counts
   * @throws {ContextError} `not-found` when there is no such session.
   */
  keep(sessionId: string, bytes: Uint8Array, mediaType?: string): Promise<string>;
  /** What the bytes were said to be; `undefined` where nobody said, or this session does not refer to them. */
  mediaType(sessionId: string, hash: string): Promise<string | undefined>;
  /** The bytes, where this session refers to them. */
  read(sessionId: string, hash: string): Promise<Uint8Array | undefined>;
  /** Stores the whole of an output that a result shows in part; resolves to its recall id. `search` finds it too. */
  keepOutput(sessionId: string, callId: string, text: string): Promise<string>;
}

/**
 * Keeps bytes under the SHA-256 of their content, 64 lower-case hexadecimal digits. Who refers to them is the session
 * store's affair: it removes what no session refers to.
 */
export interface BlobStore {
  /** Stores the bytes, whole or not at all; where they are stored already nothing happens. */
  put(hash: string, bytes: Uint8Array): Promise<void>;
  /** The bytes, or `undefined` where there are none of this hash. */
  get(hash: string): Promise<Uint8Array | undefined>;
  /** Removes them; nothing happens where there are none. */
  remove(hash: string): Promise<void>;
}

/** What the sessions of an owner come to, for limits that go by owner. */
export interface OwnerUsage {
  /** Sessions of the owner, and those of them that somebody, in whatever process, works on. */
  sessions(owner: string): Promise<{ readonly count: number; readonly busy: number }>;
  /**
   * Tokens that runs of the owner have stored as `usage`, and those that were added, by the hour, oldest first: hours
   * that have any and end behind this time. A session that is deleted takes nothing back. Hours that are two days old may
   * be gone.
   */
  tokens(owner: string, sinceMs: number): Promise<readonly HourOfTokens[]>;
  /** Counts tokens that no run has used, for the hour of now. What is no number counts as none. */
  add(owner: string, tokens: number): Promise<void>;
}

/** Tokens that an owner has used in one hour. */
export interface HourOfTokens {
  /** When the hour began, in milliseconds since 1970: a whole number of hours. */
  readonly beginsAtMs: number;
  readonly tokens: number;
}

/** Settings that hold for all sessions of the store, in whatever process. Plain JSON; what stands in them is the server's affair. */
export interface SettingsStore {
  /** What was kept last; `null` where nothing ever was. */
  read(): Promise<StoredSettings | null>;
  /**
   * Keeps settings where nobody has kept others since those with this revision were read (0: since there were none).
   * What was kept, or `null` where somebody was faster: then nothing is changed.
   */
  keep(revision: number, settings: Json): Promise<StoredSettings | null>;
}

/** Settings as they were kept. */
export interface StoredSettings {
  /** Counts up from 1 with each change. */
  readonly revision: number;
  readonly settings: Json;
}
