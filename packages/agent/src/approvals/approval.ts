import type { Json } from '@throughline/core';

/** What a standing permission covers: every call of the tool, or only those with this key (for `bash`: the command). */
export interface Grant {
  readonly toolName: string;
  readonly key?: string;
  /** A permission for every call of the tool does not cover it. */
  readonly isExact?: boolean;
}

/** A question to the user. Plain JSON. */
export interface ApprovalRequest {
  readonly id: string;
  readonly callId: string;
  readonly toolName: string;
  readonly input: Json;
  /** What an answer for the session or for always would cover. */
  readonly grant: Grant;
  /** What the tool can reach when it runs; empty when there is nothing to warn of. */
  readonly warning: string;
  readonly requestedAtMs: number;
}

export type ApprovalAnswer =
  | { readonly type: 'allow'; readonly scope: 'once' | 'session' | 'always' }
  | { readonly type: 'deny'; readonly reason?: string };

/** A request with what became of it. Plain JSON. */
export interface StoredApproval {
  readonly request: ApprovalRequest;
  /** Absent while it is pending. */
  readonly answer?: ApprovalAnswer;
  /** The answer was given to its call; no other call may have it. */
  readonly isUsed?: boolean;
}

/** Where the approvals of one session and its standing permissions live. */
export interface ApprovalStore {
  /** The approvals of the session that are not used up, oldest first. Used ones may be among them. */
  load(): Promise<readonly StoredApproval[]>;
  /** Adds it, or replaces the one with the same `request.id`. */
  put(approval: StoredApproval): Promise<void>;
  grants(): Promise<readonly Grant[]>;
  /** `session`: for this session only; `always`: for every session. */
  addGrant(grant: Grant, scope: 'session' | 'always'): Promise<void>;
}
