import { ContextError } from '@throughline/core';
import { newEvent } from '../events/agent-event.ts';
import { pinsName, readPins } from '../view/pins.ts';
import type { RunWrite, SessionStore } from '@throughline/ports';
import type { BatchWriter } from '../stream/batch-writer.ts';
import type { SessionContext } from '../view/session-context.ts';
import type { PinOutcome } from './agent-session.ts';

export interface PinChange {
  readonly ordinal: number;
  readonly isPinned: boolean;
}

interface PinWork {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly writer: Pick<BatchWriter, 'commit'>;
  /** The one that makes the next request. */
  readonly context: SessionContext | undefined;
}

/** Stores what is pinned from now on and tells it; the next request is made under it. */
export async function pinMessage(
  { store, sessionId, writer, context }: PinWork,
  { ordinal, isPinned }: PinChange,
): Promise<PinOutcome> {
  const before = readPins(await store.value(sessionId, pinsName));
  const others = before.filter((pin) => pin !== ordinal);
  const pins = isPinned ? [...others, ordinal].toSorted((left, right) => left - right) : others;
  if (before.includes(ordinal) !== isPinned) {
    const writes: readonly RunWrite[] = [
      { type: 'value', name: pinsName, value: pins.length === 0 ? null : pins },
      { type: 'event', event: newEvent('message:pinned', { ordinal, isPinned }) },
    ];
    await writer.commit(...writes);
    if (context) context.pins = pins;
  }
  return { type: 'done', pins };
}

/** The place of a message in the history, by its id or that place itself. */
export async function placeOf(
  { store, sessionId }: Pick<PinWork, 'store' | 'sessionId'>,
  message: string | number,
): Promise<number> {
  const found =
    typeof message === 'string'
      ? await store.history.find(sessionId, message)
      : (await store.history.messages(sessionId, message, message + 1))[0];
  if (found) return found.ordinal;
  const details = { kind: 'message', id: String(message), known: [] };
  throw new ContextError('not-found', `There is no message ${message}.`, details);
}
