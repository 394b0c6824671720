import { ContextError, stateAt } from '@throughline/core';
import { pinsName, readPins } from '../view/pins.ts';
import type { Json } from '@throughline/core/codec';
import type { SessionInfo, SessionStore, StoredMessage } from '@throughline/ports';
import type { ForkOptions } from './agent-session.ts';

interface From {
  readonly store: SessionStore;
  readonly sessionId: string;
}

/** Results that are looked for behind a message in one go. */
const resultsPerRead = 50;

/** A copy of a session up to a message, that one included. */
export async function forkThrough(from: From, { at, ...options }: ForkOptions): Promise<SessionInfo> {
  const { messageCount } = await from.store.sessions.read(from.sessionId);
  const end = at === undefined ? messageCount : await endBehind(from, await messageOf(from, at));
  return await forkAt(from, end, options);
}

/** A copy of a session up to a message of the user, without it. */
export async function forkBefore(
  from: From,
  place: string | number,
  options: Omit<ForkOptions, 'at'>,
): Promise<SessionInfo> {
  const { ordinal, message } = await messageOf(from, place);
  if (message.role === 'user') return await forkAt(from, ordinal, options);
  const expected = 'a message of the user';
  throw new ContextError('invalid-option', `Cannot branch here: it must be ${expected}.`, {
    option: 'message',
    expected,
    received: place,
  });
}

async function messageOf({ store, sessionId }: From, place: string | number): Promise<StoredMessage> {
  const found =
    typeof place === 'string'
      ? await store.history.find(sessionId, place)
      : (await store.history.messages(sessionId, place, place + 1))[0];
  if (found) return found;
  const details = { kind: 'message', id: String(place), known: [] };
  throw new ContextError('not-found', `There is no message ${place}.`, details);
}

/** Behind an answer come the results of its calls: they belong together. */
async function endBehind({ store, sessionId }: From, { ordinal, message }: StoredMessage): Promise<number> {
  let end = ordinal + 1;
  if (message.role !== 'assistant' && message.role !== 'tool') return end;
  for (;;) {
    const next = await store.history.messages(sessionId, end, end + resultsPerRead);
    const others = next.findIndex((one) => one.message.role !== 'tool');
    end += others < 0 ? next.length : others;
    if (others >= 0 || next.length === 0) return end;
  }
}

async function forkAt(
  { store, sessionId }: From,
  end: number,
  { sessionId: id, title }: Omit<ForkOptions, 'at'>,
): Promise<SessionInfo> {
  const [{ state, historyLength }, stored, pins, todos] = await Promise.all([
    store.history.context(sessionId),
    store.history.checkpoints(sessionId),
    store.value(sessionId, pinsName),
    store.value(sessionId, 'todos'),
  ]);
  const checkpoints = stored.map(({ checkpoint }) => checkpoint);
  const kept = readPins(pins).filter((pin) => pin < end);
  const values: { readonly [name: string]: Json } = {
    ...(kept.length === 0 ? {} : { pins: kept }),
    // What there was to do at an earlier time, nobody has written down.
    ...(todos === null || end < historyLength ? {} : { todos }),
  };
  return await store.sessions.fork(sessionId, {
    end,
    values,
    ...(state ? { state: stateAt(state, checkpoints, end) } : {}),
    ...(id === undefined ? {} : { id }),
    ...(title === undefined ? {} : { title }),
  });
}
