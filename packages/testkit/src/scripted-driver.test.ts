import type { ModelRequest } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { hostileSummarisers } from './hostile-models.ts';
import { scriptedDriver } from './scripted-driver.ts';

const request: ModelRequest = {
  purpose: 'summary',
  system: 'Summarise.',
  messages: [{ role: 'user', content: 'hello' }],
  maxOutputTokens: 800,
  temperature: 0,
};

describe('scriptedDriver', () => {
  it('gives its answers in turn and remembers the requests', async () => {
    const driver = scriptedDriver(
      'one',
      { type: 'failed', cause: 'timeout', message: 'slow' },
      hostileSummarisers.refuses,
    );
    expect(await driver.complete(request, {})).toEqual({ type: 'text', text: 'one', finish: 'stop' });
    expect(await driver.complete(request, {})).toMatchObject({ cause: 'timeout' });
    expect(await driver.complete(request, {})).toMatchObject({ finish: 'refusal' });
    expect(driver.requests).toEqual([request, request, request]);
  });

  it('throws when asked once too often', async () => {
    await expect(scriptedDriver().complete(request, {})).rejects.toThrow('0 answers and was asked 1 times');
  });

  it('answers that it was cancelled when its signal is aborted', async () => {
    const answer = await scriptedDriver('one').complete(request, { signal: AbortSignal.abort() });
    expect(answer).toMatchObject({ type: 'failed', cause: 'cancelled' });
  });
});
