import { formatCount, formatTokens } from '../../parts/format.ts';
import type { CompactAnswer, CompactionReason, RedoAnswer, UndoAnswer } from '../../data/types.ts';

/** Why it was made, for people. */
export const reasonWords: Readonly<Record<CompactionReason, string>> = {
  overflow: 'the context was full',
  threshold: 'the context had reached its threshold',
  preflight: 'the next request would not have fitted',
  'provider-error': 'the model’s server refused the request as too long',
  'model-switch': 'the next model has a smaller window',
  background: 'a summary was written ahead of need',
  manual: 'you asked for it',
};

export const phaseWords = { pruning: 'Optimising', summarizing: 'Summarising' } as const;

/** Per cent of the tokens that are gone; none where it grew. */
export function savedPercent(before: number, after: number): number {
  return before <= 0 ? 0 : Math.max(0, Math.round((1 - after / before) * 100));
}

/** What a toast says of something that was done. */
export interface Told {
  readonly title: string;
  readonly detail?: string;
  readonly isBad?: boolean;
}

type Words<Answer extends { readonly type: string }> = {
  readonly [Type in Answer['type']]: (answer: Extract<Answer, { type: Type }>) => Told;
};

function say<Answer extends { readonly type: string }>(words: Words<Answer>, answer: Answer): Told {
  return (words[answer.type as Answer['type']] as (answer: Answer) => Told)(answer);
}

/** What becomes of a compaction, or would. */
export function tellCompact(answer: CompactAnswer): Told {
  return say<CompactAnswer>(
    {
      compacted: ({ tokensBefore, tokensAfter }) => ({
        title: `${formatTokens(tokensBefore)} tokens become ${formatTokens(tokensAfter)}`,
        detail: `${savedPercent(tokensBefore, tokensAfter)} % less`,
      }),
      'nothing-to-do': ({ tokens }) => ({
        title: 'There is nothing to compact',
        detail: `The next request has ${formatTokens(tokens)} tokens, and nothing of them can be saved now.`,
      }),
      'cannot-fit': ({ requestTokens, usableTokens }) => ({
        title: 'It cannot be made to fit',
        detail: `The request needs ${formatCount(requestTokens)} tokens; ${formatCount(usableTokens)} can be used.`,
        isBad: true,
      }),
      cancelled: () => ({ title: 'The compaction was cancelled', detail: 'Nothing has changed.' }),
    },
    answer,
  );
}

export function tellUndo(answer: UndoAnswer): Told {
  return say<UndoAnswer>(
    {
      undone: ({ tokensAfter }) => ({
        title: 'The compaction was taken back',
        detail: `The next request has ${formatTokens(tokensAfter)} tokens. Automatic compaction waits until space is needed.`,
      }),
      'nothing-to-undo': () => ({ title: 'There is no compaction to take back' }),
      refused: ({ usableTokens, viewTokens }) => ({
        title: 'The compaction stays',
        detail: `Without it the request would have ${formatCount(viewTokens)} tokens; ${formatCount(usableTokens)} can be used.`,
        isBad: true,
      }),
    },
    answer,
  );
}

export function tellRedo(answer: RedoAnswer): Told {
  return say<RedoAnswer>(
    {
      redone: ({ tokensAfter }) => ({
        title: 'The compaction is in force again',
        detail: `The next request has ${formatTokens(tokensAfter)} tokens.`,
      }),
      'nothing-to-redo': () => ({
        title: 'There is nothing to redo',
        detail: 'Something else was compacted since, or it is in force already.',
      }),
    },
    answer,
  );
}
