import type { Codec } from '@throughline/core';
import type { Origin, RecordedDocument, RecordedSession } from '@throughline/importers';

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

/** When each message of a session was recorded, in milliseconds; `undefined` where the log does not say. */
export function recordedTimes(
  { origins }: Pick<RecordedSession, 'origins'>,
  document: RecordedDocument,
): readonly (number | undefined)[] {
  return origins.map((origin) => timeOf(placeOf(origin, document)));
}

/** The value in the file that holds the message and what the log says about it. */
function placeOf(origin: Origin, document: RecordedDocument): unknown {
  if (origin.type === 'composed') return undefined;
  if (origin.type === 'element') {
    let value: unknown = document.type === 'json' ? document.value : undefined;
    for (const step of [...origin.array, origin.index]) value = member(value, step);
    return value;
  }
  if (document.type !== 'lines') return undefined;
  const index = origin.type === 'line' ? origin.line : origin.pieces[0]?.line;
  return index === undefined ? undefined : document.lines[index]?.value;
}

/** Where the logs of the agents we know keep the time. */
const places: readonly (readonly string[])[] = [
  ['timestamp'],
  ['info', 'time', 'created'],
  ['time', 'created'],
  ['ts'],
  ['created_at'],
];

function timeOf(value: unknown): number | undefined {
  for (const path of places) {
    let found = value;
    for (const step of path) found = member(found, step);
    const ms = typeof found === 'number' ? found : typeof found === 'string' ? Date.parse(found) : Number.NaN;
    if (Number.isFinite(ms)) return ms;
  }
  return undefined;
}

function member(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string | number, unknown>)[key]
    : undefined;
}
