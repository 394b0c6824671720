import { createStrategy, emptyState } from '@throughline/core';
import { expect, it } from 'vitest';
import { fitMessages } from './fit-messages.ts';
import type { Policy } from '@throughline/core';

const policy: Policy = { strategy: createStrategy('digest'), budget: { windowTokens: 16_000 } };

it('sends an answer back without what only an answer has, and tells it', async () => {
  const answer = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text: 'hello' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  const history = [{ role: 'user', content: 'hi' }, answer, { role: 'user', content: 'on' }];
  const fitted = await fitMessages<unknown>(history, emptyState(), { policy });
  expect(fitted.messages).toEqual([
    history[0],
    { role: 'assistant', content: [{ type: 'text', text: 'hello' }] },
    history[2],
  ]);
  expect(fitted.repairs).toContainEqual(expect.objectContaining({ type: 'shape-mended', at: ['usage'] }));
  const next = await fitMessages<unknown>([...history], fitted.state, { policy });
  expect(next.messages).toEqual(fitted.messages);
});
