import type { RunOutcome } from '../agent/run-outcome.ts';

type ErrorTypes = {
  readonly [Type in RunOutcome['type']]: (
    outcome: Extract<RunOutcome, { readonly type: Type }>,
  ) => string | undefined;
};

// What a user wants, or what the model ends itself, is no error; a limit is what was asked for.
const errorTypes: ErrorTypes = {
  completed: () => undefined,
  cancelled: () => undefined,
  limit: () => undefined,
  failed: ({ failure }) => failure.kind,
  'cannot-fit': () => 'cannot-fit',
  lost: () => 'lost',
  broken: ({ code }) => code,
};

/** The `error.type` of a run that failed; `undefined` for one that did not. Never a message. */
export function runError<Type extends RunOutcome['type']>(
  outcome: Extract<RunOutcome, { readonly type: Type }>,
): string | undefined {
  const row: ErrorTypes[Type] = errorTypes[outcome.type];
  return row(outcome);
}
