import type { RunOutcome } from '@throughline/client';
import type { Trouble } from './state.ts';

const none = { canRetry: false, suggestsNewSession: false };

/** What a run that did not come to its end is to its user; nothing where it did, or where the user ended it. */
export function outcomeTrouble(outcome: RunOutcome, seq: number): Trouble | null {
  const rows: {
    readonly [Type in RunOutcome['type']]: (of: Extract<RunOutcome, { type: Type }>) => Trouble | null;
  } = {
    completed: () => null,
    cancelled: () => null,
    limit: ({ limit }) => ({
      ...none,
      seq,
      type: 'limit',
      title:
        limit === 'steps'
          ? 'The most steps of one run were reached'
          : 'The longest time of one run was reached',
      detail: 'Send a message to go on. The limit is among the settings.',
    }),
    failed: ({ failure }) => ({
      ...none,
      seq,
      type: 'model',
      title: 'The model did not answer',
      detail: failure.message,
      canRetry: true,
    }),
    'cannot-fit': ({ requestTokens, usableTokens, parts, canCompact }) => ({
      seq,
      type: 'cannot-fit',
      title: 'The next request does not fit into the window',
      detail: `It needs ${requestTokens} tokens and ${usableTokens} can be used. Largest: ${parts
        .slice(0, 4)
        .map(({ name, tokens }) => `${name} ${tokens}`)
        .join(', ')}.`,
      canRetry: canCompact,
      suggestsNewSession: true,
    }),
    lost: () => ({
      ...none,
      seq,
      type: 'broken',
      title: 'Another process works on this session',
      detail: 'What it does is shown here as it comes.',
    }),
    broken: ({ message }) => ({
      ...none,
      seq,
      type: 'broken',
      title: 'The run broke off',
      detail: message,
      canRetry: true,
    }),
  };
  const row = rows[outcome.type] as (of: RunOutcome) => Trouble | null;
  return row(outcome);
}
