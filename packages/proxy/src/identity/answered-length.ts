import type { ClientRequest } from '../wire/client-request.ts';

/**
 * Number of messages up to the last one that the model has said; all of them where it has said none. What comes behind
 * may be another in the next request: many clients send the time of day, or what they have looked up, with the newest
 * message alone.
 */
export function answeredLength({ dialect, messages }: Pick<ClientRequest, 'dialect' | 'messages'>): number {
  for (let index = messages.length - 1; index >= 0; index -= 1)
    if (dialect.codec.decode(messages[index], index).role === 'assistant') return index + 1;
  return messages.length;
}
