import { ContextError, parseState } from '@throughline/core';
import { upgradeCheckpoint } from '@throughline/core/internal';
import type { Checkpoint, ContextState } from '@throughline/core';

export const stateFileEnding = '.throughline.json';

/** What is written beside a compacted transcript, so that the next compaction goes on from it and an undo is possible. */
export interface StateFile {
  readonly kind: 'throughline-state';
  readonly version: 2;
  /** ISO 8601; of several files about the same history the newest counts. */
  readonly writtenAt: string;
  /** Where the history was read from, for people; it is recognised by its content. */
  readonly source: {
    readonly file: string;
    readonly format: string;
    readonly codec: string;
    readonly session: string;
    /** The system prompt, where it travels outside the messages and the transcript was converted. */
    readonly system?: string;
  };
  readonly history: { readonly messages: number; readonly fingerprint: string };
  /** The transcript beside this file; `null` where there is none. */
  readonly output: OutputRecord | null;
  /** Messages of the history that the transcript beside this file does not hold as they were. */
  readonly archived: readonly { readonly ordinal: number; readonly message: unknown }[];
  readonly state: ContextState;
  /** Oldest first; undone ones are left out. */
  readonly checkpoints: readonly Checkpoint[];
}

export interface OutputRecord {
  readonly messages: number;
  readonly fingerprint: string;
  /**
   * For each message its ordinal in the history, as it is or edited; `null` for what the engine wrote. Empty where the
   * messages were converted: then all of the history is archived.
   */
  readonly ordinals: readonly (number | null)[];
  /** Where messages were converted: the fingerprint of each as it was converted. The file may say more, such as sealed reasoning. */
  readonly keys?: readonly string[];
  /** What the transcript is to be read as. @default that of the source */
  readonly format?: string;
  /** The codec that its messages are in. @default that of the source */
  readonly codec?: string;
}

/**
 * A state file that was read.
 *
 * @throws {ContextError} `bad-state` when it is none, or comes from a newer version.
 */
export function parseStateFile(text: string): StateFile {
  const value = parseJson(text);
  const file = value as (Omit<Partial<StateFile>, 'version'> & { version?: unknown }) | null | undefined;
  if (typeof file !== 'object' || file === null || file.kind !== 'throughline-state') {
    throw badState('a state file of throughline', typeof value);
  }
  if (file.version !== 1 && file.version !== 2)
    throw badState('a state file of version 1 or 2', `version ${String(file.version)}`);
  if (
    !isSource(file.source) ||
    !isHistory(file.history) ||
    !isOutput(file.output) ||
    !isArchive(file.archived) ||
    !isCheckpoints(file.checkpoints)
  ) {
    throw badState('a whole state file', 'one with parts missing');
  }
  const state = parseState(file.state);
  // What an undo brings back is held to the same as what is in force.
  const checkpoints = (file.checkpoints ?? []).map((one) => upgradeCheckpoint(one) as Checkpoint);
  for (const { changes, retired } of checkpoints) parseState({ ...state, changes: [...changes, ...retired] });
  return { ...(file as StateFile), version: 2, state, checkpoints };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw badState('JSON', 'text that is not');
  }
}

function isHistory(value: unknown): boolean {
  const history = value as Partial<StateFile['history']> | undefined;
  return typeof history?.messages === 'number' && typeof history.fingerprint === 'string';
}

function isOutput(value: unknown): boolean {
  if (value === null) return true;
  const { ordinals, keys = [], format, codec } = (value ?? {}) as Partial<OutputRecord>;
  return (
    isHistory(value) &&
    Array.isArray(ordinals) &&
    Array.isArray(keys) &&
    isTextOrNone(format) &&
    isTextOrNone(codec)
  );
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isSource(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { file, format, codec, session, system } = value as Partial<StateFile['source']>;
  return [file, format, codec, session].every((text) => typeof text === 'string') && isTextOrNone(system);
}

function isCheckpoints(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((item: unknown) => {
      const { id, parent, strategy, changes, retired, historyEnd } = (item ?? {}) as Partial<Checkpoint>;
      return (
        typeof id === 'string' &&
        (parent === null || typeof parent === 'string') &&
        typeof strategy === 'string' &&
        typeof historyEnd === 'number' &&
        Array.isArray(changes) &&
        Array.isArray(retired)
      );
    })
  );
}

function isArchive(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((item: unknown) => typeof item === 'object' && item !== null && 'ordinal' in item)
  );
}

function badState(expected: string, received: string): ContextError<'bad-state'> {
  return new ContextError('bad-state', `Expected ${expected}, got ${received}.`, { expected, received });
}
