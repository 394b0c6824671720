import type { StreamEvent } from './stream-event.ts';
import type { WireObject } from '@throughline/core/internal';

/** What an answer consists of: the message of the chat API, blocks of a message, items of a response. */
export type SaidParts = readonly WireObject[];

/** A call that whoever asked would have to answer. */
export interface SaidCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote it: JSON text or what it says. */
  readonly input: unknown;
}

/** What a model is told of one of its calls. */
export interface CallResult {
  readonly call: SaidCall;
  readonly text: string;
  /** The call was not run. */
  readonly isError: boolean;
}

export type IsDropped = (call: SaidCall) => boolean;

/** Gathers an answer out of its events, as a whole one has it. */
export interface SaidCollector {
  take(event: StreamEvent): void;
  /** The same as to take an event that does nothing but add this text. */
  say(text: string): void;
  readonly parts: SaidParts;
  /**
   * Events of the answer, from its first call on, without these calls: those that stay are numbered anew where they are
   * told by number.
   *
   * @param keepsEnd the answer ends with them, as if it had no other calls
   */
  without(events: readonly StreamEvent[], isDropped: IsDropped, keepsEnd: boolean): readonly StreamEvent[];
}

/** How an API tells calls. */
export interface CallRules {
  readonly createCollector: () => SaidCollector;
  /** From here on the answer tells of calls. */
  readonly beginsCall: (event: StreamEvent) => boolean;
  /** Those of an answer that came whole. */
  readonly partsOf: (body: WireObject) => SaidParts;
  readonly callsIn: (parts: SaidParts) => readonly SaidCall[];
  /** An answer that came whole, without these calls, and ending as if it had no other. */
  readonly withoutCalls: (body: WireObject, isDropped: IsDropped) => WireObject;
  /** Messages of a request that tell a model what it said, and what became of each of its calls. */
  readonly exchange: (parts: SaidParts, results: readonly CallResult[], request: WireObject) => SaidParts;
}
