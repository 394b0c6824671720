import { ContextError, stateAt } from '@throughline/core';
import { messagesOfOpening, openingOf, titleByCode } from '../title/title-of.ts';
import { pinsName, readPins } from '../view/pins.ts';
import type { Json } from '@throughline/core/codec';
import type { Fork, SessionInfo, SessionStore, StoredMessage } from '@throughline/ports';
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

interface BeforeOptions extends Omit<ForkOptions, 'at'> {
  /** Who names sessions. */
  readonly titles: 'model' | 'code' | false;
}

/**
 * A copy of a session up to a message of the user, without it. Without the message that named the session the copy is
 * named anew.
 */
export async function forkBefore(
  from: From,
  place: string | number,
  { titles, ...options }: BeforeOptions,
): Promise<SessionInfo> {
  const { ordinal, message } = await messageOf(from, place);
  if (message.role === 'user') {
    const isNamed = options.title !== undefined || !(await isNamedBy(from, ordinal, titles));
    return await forkAt(from, ordinal, { ...options, ...(!isNamed && { title: null }) });
  }
  const expected = 'a message of the user';
  throw new ContextError('invalid-option', `Cannot branch here: it must be ${expected}.`, {
    option: 'message',
    expected,
    received: place,
  });
}

/** Whether the title was made of this message. Where a model makes them nobody can tell, and it is taken for its own. */
async function isNamedBy(
  { store, sessionId }: From,
  ordinal: number,
  titles: BeforeOptions['titles'],
): Promise<boolean> {
  // The first words of the user are not looked for further than that, see `SessionNamer`.
  if (titles === false || ordinal >= messagesOfOpening) return false;
  const stored = await store.history.messages(sessionId, 0, ordinal + 1);
  const before = stored.map(({ message }) => message);
  if (openingOf(before.slice(0, ordinal)).request !== '') return false;
  const { title } = await store.sessions.read(sessionId);
  return titles === 'model' || title === titleByCode(openingOf(before).request);
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
  { sessionId: id, title }: Pick<Fork, 'title'> & Pick<ForkOptions, 'sessionId'>,
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
