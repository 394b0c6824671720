import {
  ContextError,
  findModel,
  mediaPricings,
  openTranscript,
  scriptAwareEstimator,
} from '@throughline/core';
import { defaultMediaPricing } from '@throughline/core/internal';
import { parseStateFile, stateFileEnding } from './state-file.ts';
import { readFile } from 'node:fs/promises';
import { readRecording } from '@throughline/importers';
import { usageFailure } from '../outcome/failure.ts';
import type { Estimator, Transcript } from '@throughline/core';
import type { FormatName, RecordedSession, Recording } from '@throughline/importers';
import type { Cli } from '../composition/cli.ts';

/** How a file is to be read; the options that `inspect` and `compact` share. */
export interface ReadOptions {
  readonly format?: FormatName;
  /** Number in the file, counted from 1, or the session's own id. @default the first, which the tool would go on with */
  readonly session?: string;
  /** Everything as one conversation, also what the tool has archived. */
  readonly whole?: boolean;
  readonly model?: string;
  readonly exact?: boolean;
}

export interface OpenedSession {
  /** The path as it was given; `standard input` for `-`. */
  readonly file: string;
  readonly recording: Recording;
  readonly session: RecordedSession;
  /** Counted from 1. */
  readonly number: number;
  /** The model that was named, else the recorded one. */
  readonly model: string | undefined;
  readonly estimator: Estimator;
  readonly transcript: Transcript;
}

/** Reads a file, or standard input for `-`, and opens one session of it. Rejects when it cannot be read. */
export async function openSession(file: string, options: ReadOptions, cli: Cli): Promise<OpenedSession> {
  if (file === '') throw usageFailure('No file was named: an empty name was given.');
  const isInput = file === '-';
  const name = isInput ? 'standard input' : file;
  const recording = await readRecording(isInput ? cli.readInput() : file, {
    name,
    whole: options.whole ?? false,
    ...(options.format === undefined ? {} : { format: options.format }),
  }).catch(async (error: unknown) => {
    throw await explained(file, error);
  });
  const index = indexOfSession(recording, name, options.session);
  const session = recording.sessions[index];
  if (!session) throw usageFailure(`There is no session in ${name}.`);
  const model = options.model ?? session.model;
  const estimator = options.exact === true ? await exactEstimator(model) : scriptAwareEstimator;
  const transcript = openMessages(session, session.messages, { estimator, model });
  return { file: name, recording, session, number: index + 1, model, estimator, transcript };
}

async function explained(file: string, error: unknown): Promise<unknown> {
  if (!ContextError.is(error, 'unreadable-file') || !(await isStateFile(file))) return error;
  const reason = `this is the state beside a transcript; name the transcript, ${file.slice(0, -stateFileEnding.length)}`;
  return new ContextError('unreadable-file', `${file}: ${reason}`, { file, reason });
}

/** Who names the state file instead of the transcript beside it is told which one is meant. */
async function isStateFile(file: string): Promise<boolean> {
  if (!file.endsWith(stateFileEnding)) return false;
  try {
    parseStateFile(await readFile(file, 'utf8'));
    return true;
  } catch {
    return false;
  }
}

/** A transcript in a session's format, with its system prompt and tools. */
export function openMessages(
  session: RecordedSession,
  messages: readonly unknown[],
  { estimator, model }: { readonly estimator: Estimator; readonly model: string | undefined },
): Transcript {
  const media = model === undefined ? undefined : findModel(model)?.entry.media;
  return openTranscript(
    {
      codec: session.codec,
      estimator,
      media: media === undefined ? defaultMediaPricing : mediaPricings[media],
      ...(session.system === undefined ? {} : { system: session.system }),
      ...(session.tools === undefined ? {} : { tools: session.tools }),
    },
    messages,
  );
}

function indexOfSession({ sessions }: Recording, file: string, wanted: string | undefined): number {
  if (wanted === undefined) return 0;
  const index = /^\d+$/.test(wanted) ? Number(wanted) - 1 : sessions.findIndex(({ id }) => id === wanted);
  if (sessions[index]) return index;
  const known = sessions.length === 1 ? 'it holds one' : `it holds 1 to ${sessions.length}`;
  throw usageFailure(`There is no session ${wanted} in ${file}: ${known}.`);
}

/** The model's own vocabulary where it is public, else the nearest one with a margin. */
async function exactEstimator(model: string | undefined): Promise<Estimator> {
  const { createBpeEstimator, withMargin } = await import('@throughline/tokenizers');
  const tokenizer = model === undefined ? undefined : findModel(model)?.entry.tokenizer;
  if (tokenizer === 'cl100k') return createBpeEstimator('cl100k_base');
  const estimator = await createBpeEstimator('o200k_base');
  return tokenizer === 'o200k' ? estimator : withMargin(estimator);
}
