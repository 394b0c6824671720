import { createHash, timingSafeEqual } from 'node:crypto';
import type { AccessToken } from '../server-options.ts';
import type { Caller } from '../services.ts';

interface Credentials {
  readonly authorization: string | undefined;
  /** Where SDKs of one format put it. */
  readonly apiKey: string | undefined;
}

/**
 * Whose token it is. All are compared, each in the same time: how long it takes tells nothing. Hashes are compared, so
 * that the length tells nothing either.
 */
export function callerCheck(
  tokens: readonly AccessToken[],
): (credentials: Credentials) => Caller | undefined {
  if (tokens.length === 0) return () => ({ owner: '' });
  const known = tokens.map(({ owner, token }) => ({ owner, hash: hashOf(token) }));
  return ({ authorization, apiKey }) => {
    const shown = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? apiKey;
    if (shown === undefined) return undefined;
    const hash = hashOf(shown);
    const found = known.filter((one) => timingSafeEqual(one.hash, hash));
    return found[0] && { owner: found[0].owner };
  };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
