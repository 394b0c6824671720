import { createStrategy, emptyState, openaiChatCodec, openTranscript, prepare } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { dialects } from '../wire/dialect.ts';
import { policyOf } from './route-policy.ts';

const limitsOf = (tokens: number) =>
  ({ window: { tokens, source: 'learned' }, maxOutput: { tokens: 1_000, source: 'default' } }) as const;

describe('room for the answer that a route sets', () => {
  const route = {
    policy: { strategy: createStrategy('reactive-overflow'), budget: { outputReserveTokens: 20_000 } },
  };
  const request = { dialect: dialects.chat, body: {} };

  it.each([
    [128_000, 20_000],
    [16_000, 13_760],
  ])('is what is set in a window of %d, as far as it leaves a tenth: %d', (windowTokens, kept) => {
    const policy = policyOf(route, limitsOf(windowTokens), { hasModel: false, request });
    expect(policy.budget.outputReserveTokens).toBe(kept);
    const transcript = openTranscript({ codec: openaiChatCodec }, [{ role: 'user', content: 'go' }]);
    expect(prepare(transcript, emptyState(), policy).type).toBe('ready');
  });
});
