import { openaiChatCodec } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { createSummariser } from './create-summariser.ts';
import type { ModelRequest } from '@throughline/core';
import type { ModelDriver, ModelFailure, StepRequest } from '@throughline/ports';

const request: ModelRequest = {
  purpose: 'summary',
  system: 'You write the record.',
  messages: [{ role: 'user', content: 'Write it.' }],
  maxOutputTokens: 800,
  temperature: 0.3,
};

/** A model that refuses each request with these numbers. */
function refusing(numbers: Pick<ModelFailure, 'promptTokens' | 'limitTokens'>): {
  readonly driver: ModelDriver;
  readonly requests: readonly StepRequest[];
} {
  const requests: StepRequest[] = [];
  const failure: ModelFailure = { kind: 'overflow', message: 'too long', recoverable: true, ...numbers };
  const driver: ModelDriver = {
    name: 'refusing:model',
    provider: 'refusing',
    model: 'model',
    codec: openaiChatCodec,
    async *stream(step) {
      requests.push(step);
      yield { type: 'error', failure, messages: [] };
    },
  };
  return { driver, requests };
}

describe('createSummariser, where a request is refused as too long', () => {
  it('tries less room for the answer where prompt and room were too much together', async () => {
    const { driver, requests } = refusing({ promptTokens: 1_500, limitTokens: 4_096 });
    await createSummariser(driver).complete(request, {});
    expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([4_800, 800 + 1_024]);
  });

  it('sends no prompt again that is too long by itself, and hands on what the server counted', async () => {
    const { driver, requests } = refusing({ promptTokens: 4_200, limitTokens: 4_096 });
    const answer = await createSummariser(driver).complete(request, {});
    expect(requests).toHaveLength(1);
    expect(answer).toMatchObject({ cause: 'overflow', promptTokens: 4_200, limitTokens: 4_096 });
  });
});
