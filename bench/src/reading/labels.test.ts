import { describe, expect, it } from 'vitest';
import { scoreState } from './labels.ts';
import type { ReadingSet } from './reading-sets.ts';

const labels = `# Labels

## (b) Errors and failed commands

| message | what | resolution |
|---|---|---|
| m5 | a test | repaired (m9) |
| m11, m13 | a push | unresolved |
| m20 | lines of a test's output | not failures; the test wants them |
| m30 | a build | never |

## (c) Decisions

| in force | m40 |
`;
const set = { name: 'a', labels } as ReadingSet;
const context = (asOf: number, ...failed: readonly string[]): string =>
  [
    'It stands for messages m1 to m12, which are archived.',
    `## State (as of m${asOf})`,
    '- Failed, without a later success of the same:',
    ...failed.map((line) => `  - ${line}`),
  ].join('\n');

describe('scoreState', () => {
  it('judges what is stated by the rows of the labels, a message to each side', () => {
    const state = context(30, 'm4 $ npm test → 1 failed', 'm12 $ git push', 'm50 $ make');
    expect(scoreState(state, set)).toMatchObject({ right: 1, wrong: 1, unlisted: 1 });
  });

  it('asks for the open failures up to the message that the state is told of', () => {
    expect(scoreState(context(29, 'm13 $ git push'), set)).toMatchObject({ open: 1, found: 1 });
    expect(scoreState(context(30, 'm13 $ git push'), set)).toMatchObject({ open: 2, found: 1 });
  });
});
