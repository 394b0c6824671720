import type { Role } from '../transcript/entry.ts';

export interface CheckOptions {
  /**
   * `send`: the list is about to be sent, every call must have its result. `open`: the caller is about to answer the
   * unanswered calls of the last response.
   */
  readonly ending: 'send' | 'open';
  /**
   * The list continues messages that were checked before and end between two exchanges, so that a step costs only what
   * is new. @default the list is the whole request
   */
  readonly continues?: Continued;
}

export interface Continued {
  /** Call ids of the messages before, as sent. Only looked at where the format wants them unique. */
  readonly callIds: { has(callId: string): boolean };
  /** Role of the last message before that is not a system message. */
  readonly lastRole: Role;
}
