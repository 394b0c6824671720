import { ContextError, stateAt } from '@throughline/core';
import { madeTitleName, messagesOfOpening, openingOf, textOfParts, titleOfEdit } from './title-of.ts';
import { pinsName, readPins } from '../view/pins.ts';
import { findMessage } from './find-message.ts';
import type { Json } from '@throughline/core/codec';
import type { SessionInfo, StoredMessage } from '@throughline/ports';
import type { UserContent } from '@throughline/protocol/types';
import type { ForkOptions } from './agent-session.ts';
import type { KeptSession } from './find-message.ts';

/** Results that are looked for behind a message in one go. */
const resultsPerRead = 50;

/** A copy of a session up to a message, that one included. */
export async function forkThrough(from: KeptSession, { at, ...options }: ForkOptions): Promise<SessionInfo> {
  const { messageCount } = await from.store.sessions.read(from.sessionId);
  const end = at === undefined ? messageCount : await endBehind(from, await findMessage(from, at));
  return await forkAt(from, end, options);
}

interface InPlaceOf {
  /** Id, or place in the history, of a message of the user. */
  readonly message: string | number;
  /** What is said in its place. */
  readonly content: UserContent;
}

/**
 * A copy of a session up to a message of the user, without it. Without the message that named the session the copy is
 * named by what is said in its place, so that the two can be told apart.
 */
export async function forkBefore(
  from: KeptSession,
  { message: place, content }: InPlaceOf,
  options: Omit<ForkOptions, 'at'>,
): Promise<SessionInfo> {
  const { ordinal, message } = await findMessage(from, place);
  if (message.role === 'user') {
    const isFirst = await isFirstRequest(from, ordinal);
    const renamed = isFirst ? titleOfEdit(textOfParts(content), openingOf([message]).request) : undefined;
    return await forkAt(from, ordinal, { ...options, renamed });
  }
  const expected = 'a message of the user';
  throw new ContextError('invalid-option', `Cannot branch here: it must be ${expected}.`, {
    option: 'message',
    expected,
    received: place,
  });
}

/** Whether the user has said nothing in words before this message. */
async function isFirstRequest({ store, sessionId }: KeptSession, ordinal: number): Promise<boolean> {
  // The first words of the user are not looked for further than that, see `SessionNamer`.
  if (ordinal >= messagesOfOpening) return false;
  const before = await store.history.messages(sessionId, 0, ordinal);
  return openingOf(before.map(({ message }) => message)).request === '';
}

/** Behind an answer come the results of its calls: they belong together. */
async function endBehind(
  { store, sessionId }: KeptSession,
  { ordinal, message }: StoredMessage,
): Promise<number> {
  let end = ordinal + 1;
  if (message.role !== 'assistant' && message.role !== 'tool') return end;
  for (;;) {
    const next = await store.history.messages(sessionId, end, end + resultsPerRead);
    const others = next.findIndex((one) => one.message.role !== 'tool');
    end += others < 0 ? next.length : others;
    if (others >= 0 || next.length === 0) return end;
  }
}

interface CopyOptions extends Omit<ForkOptions, 'at'> {
  /** The title of the copy where nobody gave one by hand. @default that of the session */
  readonly renamed?: string | undefined;
}

async function forkAt(
  { store, sessionId }: KeptSession,
  end: number,
  { sessionId: id, title: given, renamed }: CopyOptions,
): Promise<SessionInfo> {
  const [{ state, historyLength }, stored, pins, todos, before, made] = await Promise.all([
    store.history.context(sessionId),
    store.history.checkpoints(sessionId),
    store.value(sessionId, pinsName),
    store.value(sessionId, 'todos'),
    store.sessions.read(sessionId),
    store.value(sessionId, madeTitleName),
  ]);
  const isMade = given === undefined && before.title !== null && before.title === made;
  const title = isMade ? (renamed ?? before.title) : given;
  const checkpoints = stored.map(({ checkpoint }) => checkpoint);
  const kept = readPins(pins).filter((pin) => pin < end);
  const values: { readonly [name: string]: Json } = {
    ...(kept.length === 0 ? {} : { pins: kept }),
    // What there was to do at an earlier time, nobody has written down.
    ...(todos === null || end < historyLength ? {} : { todos }),
    ...(isMade && { [madeTitleName]: title }),
  };
  return await store.sessions.fork(sessionId, {
    end,
    values,
    ...(state ? { state: stateAt(state, checkpoints, end) } : {}),
    ...(id === undefined ? {} : { id }),
    ...(title === undefined ? {} : { title }),
  });
}
