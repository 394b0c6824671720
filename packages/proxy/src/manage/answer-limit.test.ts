import { describe, expect, it } from 'vitest';
import { dialects } from '../wire/dialect.ts';
import { leastAnswerTokens, limitMembers, loweredMaxTokens, mayGoOn } from './answer-limit.ts';
import { readClientRequest } from '../wire/client-request.ts';
import fc from 'fast-check';
import type { ClientRequest } from '../wire/client-request.ts';
import type { DialectName } from '../stream/dialect-streams.ts';

function requestOf(dialect: DialectName, limits: object): ClientRequest {
  const { messagesKey } = dialects[dialect];
  const body = { model: 'm', [messagesKey]: [{ role: 'user', content: 'Why?' }], ...limits };
  const request = readClientRequest(dialects[dialect], JSON.stringify(body));
  if (!request) throw new Error('expected a request');
  return request;
}

const names = Object.keys(dialects) as DialectName[];

describe('loweredMaxTokens', () => {
  it('leaves the room beside the prompt, 1 024 tokens at least, and never raises what is asked for', () => {
    const tokens = fc.integer({ min: 1, max: 20_000 });
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        tokens,
        tokens,
        tokens,
        (name, asked, promptTokens, windowTokens) => {
          for (const key of dialects[name].maxTokensKeys) {
            const request = requestOf(name, { [key]: asked });
            const lowered = loweredMaxTokens(request, promptTokens, windowTokens);
            const room = Math.max(1_024, windowTokens - promptTokens);
            expect(lowered).toEqual(room < asked ? { key, tokens: room } : undefined);
          }
        },
      ),
    );
    expect(leastAnswerTokens).toBe(1_024);
  });

  it.each(names)('leaves a request over %s alone that limits nothing', (name) => {
    expect(loweredMaxTokens(requestOf(name, {}), 9_000, 4_000)).toBeUndefined();
  });
});

describe('limitMembers', () => {
  const tokens = (min: number): fc.Arbitrary<number> => fc.integer({ min, max: 40_000 });

  it('keeps a budget for thinking below the limit, changes it only where it must, and lets it be no smaller than 1 024', () => {
    fc.assert(
      fc.property(tokens(1_024), tokens(1), tokens(1), tokens(1), (budget, above, prompt, window) => {
        const asked = budget + above;
        const thinking = { type: 'enabled', budget_tokens: budget, display: 'omitted' };
        const request = requestOf('messages', { max_tokens: asked, thinking });
        const lowered = loweredMaxTokens(request, prompt, window);
        if (!lowered) return;
        const sent = { ...request.body, ...limitMembers(request, lowered.tokens) } as unknown as {
          readonly max_tokens: number;
          readonly thinking: typeof thinking;
        };
        expect(sent.max_tokens).toBe(Math.max(2_048, window - prompt));
        expect(sent.thinking).toEqual({ ...thinking, budget_tokens: expect.any(Number) as number });
        expect(sent.thinking.budget_tokens).toBe(Math.min(budget, sent.max_tokens - 1_024));
        expect(sent.thinking.budget_tokens).toBeGreaterThanOrEqual(1_024);
      }),
    );
  });

  it('says nothing where the client has limited nothing, or to less', () => {
    expect(limitMembers(requestOf('messages', {}), 500)).toEqual({});
    expect(limitMembers(requestOf('chat', { max_tokens: 400 }), 500)).toEqual({});
  });
});

describe('an answer', () => {
  it.each([
    [256, {}],
    [1_280, { thinking: { type: 'enabled', budget_tokens: 2_000 } }],
  ])('is gone on with where %i tokens of its limit are left, and not for one less', (least, more) => {
    const request = requestOf('messages', { max_tokens: 5_000, ...more });
    expect(mayGoOn(request, 5_000 - least)).toBe(true);
    expect(mayGoOn(request, 5_001 - least)).toBe(false);
    expect(mayGoOn(requestOf('messages', {}), 1_000_000)).toBe(true);
  });
});
