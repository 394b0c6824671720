import { codecNamed } from './codec-named.ts';
import { convertMessages } from '@throughline/core';
import { formatNames } from '@throughline/importers';
import { openMessages } from '../reading/open-session.ts';
import { startsWith } from './starts-with.ts';
import { weighState } from './history.ts';
import type { Codec } from '@throughline/core';
import type { History } from './history.ts';
import type { OpenedSession } from '../reading/open-session.ts';
import type { OutputRecord } from './state-file.ts';
import type { RecordedSession } from '@throughline/importers';

/**
 * The full history behind a transcript that was written in another format: the archived messages as they were, and
 * what came since, converted to their format.
 */
export function convertedHistory(
  opened: OpenedSession,
  source: NonNullable<History['source']>,
  output: OutputRecord,
): History | undefined {
  const { file } = source;
  const { session, estimator, model } = opened;
  const codec = codecNamed(file.source.codec);
  const format = formatNames.find((name) => name === file.source.format);
  const known = file.archived.map(({ message }) => message);
  const isWhole = file.archived.every(({ ordinal }, index) => ordinal === index);
  if (!codec || format === undefined || !isWhole || known.length !== file.history.messages) return undefined;
  const since = messagesIn(codec, session, output.messages);
  const own = sessionIn(session, { codec, system: file.source.system });
  const transcript = openMessages(own, [...known, ...since], { estimator, model });
  if (!startsWith([...transcript.conversation.entries], file.history)) return undefined;
  return {
    transcript,
    state: file.state,
    checkpoints: file.checkpoints,
    source,
    origin: { ...file.source, format },
    converted: { known: known.length, written: output.messages },
    indexOf: () => undefined,
    inForce: weighState(transcript, file.state),
  };
}

/** The messages of a session from one on, in another codec. */
function messagesIn(codec: Codec, session: RecordedSession, from: number): readonly unknown[] {
  const since = session.messages.slice(from);
  if (codec === session.codec) return since;
  const entries = since.map((message, ordinal) => session.codec.decode(message, ordinal));
  return convertMessages(entries, session.codec, codec).messages;
}

/** A session as it would be in another codec, without its messages. */
export function sessionIn(
  { id, kind, model, tools, holdsWholePrompt }: RecordedSession,
  { codec, system }: { readonly codec: Codec; readonly system: string | undefined },
): RecordedSession {
  return {
    id,
    kind,
    codec,
    messages: [],
    origins: [],
    usage: [],
    holdsWholePrompt,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    ...(model === undefined ? {} : { model }),
  };
}
