import { expect, it } from 'vitest';
import { believedOverflow } from './believed-overflow.ts';
import type { Refused } from './believed-overflow.ts';

it('reads an error that holds a list without end', () => {
  const error = { detail: Array.from({ length: 3_000_000 }, () => 0), message: 'prompt is too long' };
  const managed = {
    step: { report: { tokens: { final: 10 } } },
    limits: { window: { tokens: 8_000 } },
    conversation: {},
  };
  const refused = {
    readOverflow: () => ({ kind: 'tokens', words: 'prompt is too long' }),
    managed,
    request: { text: 'Why?', body: {}, dialect: { maxTokensKeys: [] } },
  } as unknown as Refused;
  expect(believedOverflow(error, refused)).toMatchObject({ kind: 'tokens' });
});
