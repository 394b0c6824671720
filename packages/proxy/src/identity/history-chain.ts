import { hash } from 'node:crypto';
import { fingerprintEntry } from '@throughline/core/internal';
import type { ClientRequest } from '../wire/client-request.ts';
import type { Dialect } from '../wire/dialect.ts';

/**
 * Names of the histories that a request contains: that of a message stands for it and all messages before it, so
 * histories that begin alike share the names of their beginning. What a message says counts, not its marks and ids.
 * Instructions are no part of a history.
 *
 * @param known names of the first messages, where those are known already
 */
export function historyChain(
  { dialect, messages }: ClientRequest,
  known: readonly string[] = [],
): readonly string[] {
  const chain = known.slice(0, messages.length);
  for (let index = chain.length; index < messages.length; index += 1) {
    chain.push(historyName(dialect, { message: messages[index], ordinal: index, before: chain[index - 1] }));
  }
  return chain;
}

const nameCharacters = 32;

interface NamedMessage {
  readonly message: unknown;
  readonly ordinal: number;
  /** Name of the history before it; the first has none. */
  readonly before: string | undefined;
}

/** The name of the history that ends with this message. */
export function historyName(dialect: Dialect, { message, ordinal, before }: NamedMessage): string {
  const fingerprint = fingerprintEntry(dialect.codec.decode(message, ordinal));
  return hash('sha256', `${before ?? dialect.name}\n${fingerprint}`, 'base64url').slice(0, nameCharacters);
}

/**
 * Number of messages up to the last one that the model has said; all of them where it has said none. What comes behind
 * may be another in the next request: many clients send the time of day, or what they have looked up, with the newest
 * message alone.
 */
export function answeredLength({ dialect, messages }: Pick<ClientRequest, 'dialect' | 'messages'>): number {
  return saidEnd(dialect, messages) || messages.length;
}

/**
 * The name of the history of a request that every request has which goes on from it: up to the last answer, or the first
 * message where there is none.
 */
export function answeredName(
  { dialect, messages }: Pick<ClientRequest, 'dialect' | 'messages'>,
  chain: readonly string[],
): string {
  return chain[Math.max(1, saidEnd(dialect, messages)) - 1] ?? '';
}

/**
 * The end of what the model has said among the messages of a request, exclusive; 0 where it has said nothing. What the
 * client begins the answer with at the very end is none that the model has said.
 */
export function answeredEnd(length: number, isAssistants: (index: number) => boolean): number {
  let end = length;
  while (end > 0 && isAssistants(end - 1)) end -= 1;
  while (end > 0 && !isAssistants(end - 1)) end -= 1;
  return end;
}

function saidEnd({ codec }: Dialect, messages: readonly unknown[]): number {
  return answeredEnd(messages.length, (index) => codec.decode(messages[index], index).role === 'assistant');
}
