import { describe, expect, it } from 'vitest';
import { dialects } from '../wire/dialect.ts';
import { leastAnswerTokens, loweredMaxTokens } from './answer-limit.ts';
import { readClientRequest } from '../wire/client-request.ts';
import fc from 'fast-check';
import type { ClientRequest } from '../wire/client-request.ts';
import type { DialectName } from '../wire/dialect.ts';

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
