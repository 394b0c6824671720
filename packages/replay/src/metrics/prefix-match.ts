import type { SentMessage } from './metric.ts';

export interface PrefixMatch {
  /** Tokens of the longest common message prefix with the request before. */
  readonly cachedTokens: number;
  /** All of the request before is a prefix of this one. */
  readonly isWhole: boolean;
  /** Tokens of the request before; 0 for the first. */
  readonly formerTokens: number;
}

/** Compares each request with the one before, message by message: by reference first, by JSON second. */
export function createPrefixMatch(): (request: readonly SentMessage[]) => PrefixMatch {
  let former: readonly SentMessage[] = [];
  return (request) => {
    const before = former;
    former = request;
    const formerTokens = before.reduce((sum, { tokens }) => sum + tokens, 0);
    let cachedTokens = 0;
    for (let index = 0; index < before.length; index += 1) {
      const [was, now] = [before[index], request[index]];
      if (!was || !now || !isSame(now.message, was.message))
        return { cachedTokens, isWhole: false, formerTokens };
      cachedTokens += was.tokens;
    }
    return { cachedTokens, isWhole: true, formerTokens };
  };
}

const texts = new WeakMap<object, string>();

function isSame(left: unknown, right: unknown): boolean {
  return left === right || jsonOf(left) === jsonOf(right);
}

/** The bytes of a message. */
export function jsonOf(message: unknown): string {
  if (typeof message !== 'object' || message === null) return JSON.stringify(message) ?? '';
  const text = texts.get(message) ?? JSON.stringify(message);
  texts.set(message, text);
  return text;
}
