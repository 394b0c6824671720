import type { SeenMessage, SessionPlan } from '@throughline/replay';

const fewestSteps = 3;

/** Why a session says nothing under this budget, or `undefined`. */
export function reasonToSkip(
  { seen, steps }: SessionPlan,
  tokensOf: (message: SeenMessage) => number,
  budgetTokens: number,
): string | undefined {
  if (steps.length < fewestSteps) return `only ${steps.length} responses with something before them`;
  const longest = steps.at(-1)?.historyLength ?? 0;
  const tokens = seen.slice(0, longest).reduce((sum, message) => sum + tokensOf(message), 0);
  return tokens > budgetTokens ? undefined : `never longer than the budget (${tokens} tokens)`;
}
