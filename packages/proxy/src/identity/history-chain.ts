import { createHash } from 'node:crypto';
import { fingerprintEntry } from '@throughline/core/internal';
import type { ClientRequest } from '../wire/client-request.ts';

/**
 * Names of the histories that a request contains: that of a message stands for it and all messages before it, so
 * histories that begin alike share the names of their beginning. What a message says counts, not its marks and ids.
 *
 * @param known names of the first messages, where those are known already
 */
export function historyChain(
  { dialect, messages }: ClientRequest,
  known: readonly string[] = [],
): readonly string[] {
  const chain = known.slice(0, messages.length);
  for (let index = chain.length; index < messages.length; index += 1) {
    const fingerprint = fingerprintEntry(dialect.codec.decode(messages[index], index));
    chain.push(nameOf(chain[index - 1] ?? dialect.name, fingerprint));
  }
  return chain;
}

const nameCharacters = 32;

function nameOf(before: string, fingerprint: string): string {
  return createHash('sha256')
    .update(`${before}\n${fingerprint}`)
    .digest('base64url')
    .slice(0, nameCharacters);
}
