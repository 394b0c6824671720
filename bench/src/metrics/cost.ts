/** Prices of a prompt cache, relative to an uncached input token. */
export interface CachePrices {
  readonly read: number;
  readonly write: number;
}

export const anthropicPrices: CachePrices = { read: 0.1, write: 1.25 };
export const openaiPrices: CachePrices = { read: 0.1, write: 1 };
export const flatPrices: CachePrices = { read: 1, write: 1 };

/** M4, one step: read·cached + write·(sent − cached), in uncached input tokens. */
export function stepCost(sentTokens: number, cachedTokens: number, { read, write }: CachePrices): number {
  return read * cachedTokens + write * (sentTokens - cachedTokens);
}

/** A message as it is sent: its identity for the cache, and its tokens. */
export interface SentMessage {
  readonly message: unknown;
  readonly tokens: number;
}

export interface PrefixMatch {
  /** Tokens of the longest common message prefix. */
  readonly cachedTokens: number;
  /** All of the former request is a prefix of this one. */
  readonly isWhole: boolean;
}

/** Compares messages by reference first, by their JSON second. */
export function createPrefixMatch(): (
  former: readonly SentMessage[],
  next: readonly SentMessage[],
) => PrefixMatch {
  const texts = new WeakMap<object, string>();
  const textOf = (message: unknown): string => {
    if (typeof message !== 'object' || message === null) return JSON.stringify(message) ?? '';
    const text = texts.get(message) ?? JSON.stringify(message);
    texts.set(message, text);
    return text;
  };
  return (former, next) => {
    let cachedTokens = 0;
    for (const [index, { message, tokens }] of former.entries()) {
      const other = next[index];
      if (other === undefined) return { cachedTokens, isWhole: false };
      if (other.message !== message && textOf(other.message) !== textOf(message))
        return { cachedTokens, isWhole: false };
      cachedTokens += tokens;
    }
    return { cachedTokens, isWhole: true };
  };
}
