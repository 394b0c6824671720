import { createStrategy } from '@throughline/core';
import type { Policy } from '@throughline/core';

/** The window of every long run, in tokens of the counting model below. */
export const windowTokens = 6_000;

export const policy: Policy = {
  strategy: createStrategy('reactive-overflow'),
  budget: { windowTokens },
  hasRecall: true,
};

export const task = 'Find out why login fails for users with two accounts. Never touch config/prod.yaml.';

/** A file as a tool would return it: about 500 tokens, none like the other. */
export function fileOf(step: number): string {
  return Array.from(
    { length: 28 },
    (_, line) => `export const limit_${step}_${line} = checkSession(${step * line}, 'account-${step}');`,
  ).join('\n');
}

/** What a server would count of a request: not the estimator of the engine. */
export function countTokens(...parts: readonly unknown[]): number {
  return Math.ceil(JSON.stringify(parts).length / 3.6);
}

/** A request that a real server would refuse. */
export class OverflowError extends Error {
  constructor(tokens: number) {
    super(`prompt is too long: ${tokens} tokens > ${windowTokens} maximum`);
  }
}

/** What a model of a long run saw, request by request. */
export interface Requests {
  readonly prompts: unknown[][];
  /** Requests that were refused as too long. */
  refusals: number;
  /** Tokens of everything that was said in the conversation, had nothing been left out. */
  fullTokens: number;
}

export function noRequests(): Requests {
  return { prompts: [], refusals: 0, fullTokens: 0 };
}

/** Counts a request as the server does; refuses it where it does not fit. */
export function accept(
  requests: Requests,
  prompt: readonly unknown[],
  ...others: readonly unknown[]
): number {
  const tokens = countTokens(prompt, ...others);
  if (tokens > windowTokens) {
    requests.refusals += 1;
    throw new OverflowError(tokens);
  }
  requests.prompts.push([...prompt]);
  return tokens;
}
