import { Overlap } from './overlap.ts';
import type { ToldUsage } from '@throughline/core/internal';
import type { StreamEvent } from './stream-event.ts';

/** What the answers before this one cost; the client is told one sum. */
interface Spent {
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** What is told as the prompt where the upstream tells nothing of it. */
export interface Estimates {
  readonly inputTokens: number;
}

/** An error of our own, in a stream that has begun. */
export interface StreamFault {
  readonly message: string;
  /** As the providers of the dialect name it. @default an error of the server */
  readonly type?: string;
  readonly code?: string;
}

/** Why and how an answer ends that its upstream did not end. */
export interface Ending {
  readonly usage: ToldUsage;
  /** Chat only: the client has asked for usage. */
  readonly showsUsage: boolean;
}

/** An answer after a restart, or behind something of our own: what it needs to become a part of what the client has. */
export interface AnswerPart {
  /** The text that the client has, where the answer goes on with it. */
  readonly overlap: Overlap;
  /** The first events of the answer are told, too: it is the client's first. */
  readonly keepsStart: boolean;
  readonly spent: Spent;
  readonly estimates: Estimates;
  /** It is a message of its own: where the API has one text for the answer, its text is set off from what stands there. */
  readonly isNewMessage?: true;
}

/** What the client has got, and the way of everything further to it, so that it sees one answer. */
export interface Continuation {
  /** The client gets this event as it is. */
  saw(event: StreamEvent): void;
  /** From here on events are those of this part. */
  begin(part: AnswerPart): void;
  /** The client gets the event as one of the answer that it has. Nothing, one or several events. */
  take(event: StreamEvent): readonly StreamEvent[];
  /** Text that was held back: no more of the part comes. */
  flush(): readonly StreamEvent[];
  /** What of the held end of an answer is content, and no end. */
  contentOf(event: StreamEvent): readonly StreamEvent[];
  /** What the held end of an answer is the first to say of it, but for its calls; the client gets it as it is. */
  restOf?(event: StreamEvent): readonly StreamEvent[];
  /** A notice as content of its own. Nothing, where the answer has not begun. */
  notice(text: string): readonly StreamEvent[];
  /** An end for want of room. */
  endWithLength(ending: Ending): readonly StreamEvent[];
  /** An error as the last thing of the stream. */
  fail(fault: StreamFault): readonly StreamEvent[];
}

/** What a part is that is the first, and whole. */
export function firstPart(estimates: Estimates): AnswerPart {
  return {
    overlap: new Overlap(''),
    keepsStart: true,
    spent: { outputTokens: 0, reasoningTokens: 0 },
    estimates,
  };
}
