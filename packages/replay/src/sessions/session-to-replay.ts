import { recordedTimes } from './recorded-times.ts';
import type { Codec } from '@throughline/core';
import type { RecordedDocument, RecordedSession } from '@throughline/importers';

/** A recorded conversation that can be replayed. */
export interface SessionToReplay {
  readonly codec: Codec;
  readonly messages: readonly unknown[];
  /** When each message was recorded, in milliseconds, as far as the log says; may be shorter than `messages`. */
  readonly timesMs: readonly (number | undefined)[];
  /** System text and tools that the log holds outside the messages. */
  readonly system?: string;
  readonly tools?: readonly unknown[];
}

/** One session of a recording, with the times its file gives. */
export function sessionToReplay(recorded: RecordedSession, document: RecordedDocument): SessionToReplay {
  const { codec, messages, system, tools } = recorded;
  return {
    codec,
    messages,
    timesMs: recordedTimes(recorded, document),
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
  };
}

/** What every request holds beside the messages, as text. */
export function outsideText({ system = '', tools = [] }: Pick<SessionToReplay, 'system' | 'tools'>): string {
  return tools.length === 0 ? system : `${system}\n${JSON.stringify(tools)}`;
}
