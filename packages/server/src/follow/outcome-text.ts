import type { RunOutcome } from '@throughline/agent';

type Texts = {
  readonly [Type in RunOutcome['type']]: (outcome: Extract<RunOutcome, { type: Type }>) => string | undefined;
};

const texts: Texts = {
  completed: () => undefined,
  cancelled: () => undefined,
  limit: () => undefined,
  failed: ({ failure }) => failure.message,
  'cannot-fit': ({ requestTokens, usableTokens, refusal }) =>
    refusal?.message ??
    `The request needs ${requestTokens} tokens, and ${usableTokens} of the window are usable: nothing is left that could be compacted.`,
  lost: () => 'Another process has taken the session over.',
  broken: ({ message }) => message,
};

/** What went wrong, for people; `undefined` of a run that came to an end. */
export function faultOf<Type extends RunOutcome['type']>(
  outcome: Extract<RunOutcome, { type: Type }>,
): string | undefined {
  const text: Texts[Type] = texts[outcome.type];
  return text(outcome);
}
