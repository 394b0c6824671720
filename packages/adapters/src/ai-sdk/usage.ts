/** Usage as the versions of the SDK state it, for a step (a number) or by a model (a number, then a summary). */
export interface SdkUsage {
  readonly inputTokens?: number | undefined | { readonly total?: number | undefined };
  /** From version 6 on: then `inputTokens` is the whole. */
  readonly inputTokenDetails?: unknown;
}

/** An answer of the SDK, as far as its usage is read. */
export interface CountedAnswer {
  readonly usage?: SdkUsage | undefined;
  readonly providerMetadata?: unknown;
}

const cacheFields = ['cache_read_input_tokens', 'cache_creation_input_tokens'];

/**
 * The provider's count of the whole prompt. Version 5 hands on what the provider calls input, and Anthropic leaves out
 * what its cache holds: there the provider's own record counts.
 */
export function inputTokensOf({ usage, providerMetadata }: CountedAnswer): number | undefined {
  const input = usage?.inputTokens;
  if (typeof input === 'object') return input.total;
  if (usage?.inputTokenDetails !== undefined) return input;
  const own = memberOf(memberOf(providerMetadata, 'anthropic'), 'usage');
  const uncached = memberOf(own, 'input_tokens');
  if (typeof uncached !== 'number') return input;
  const cached = cacheFields
    .map((name) => memberOf(own, name))
    .filter((tokens) => typeof tokens === 'number');
  return cached.reduce((sum, tokens) => sum + tokens, uncached);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
