import { describe, expect, it } from 'vitest';
import { appendMessages, emptyState, prepare, resume } from '@throughline/core';
import { policyOf, transcriptOf } from './chat-history.ts';
import type { Policy, Step } from '@throughline/core';

const words = (count: number): string =>
  Array.from({ length: count }, (_, index) => `w${index % 97}`).join(' ');
const talk = (count: number, size: number): unknown[] =>
  Array.from({ length: count }, (_, index) => [
    { role: 'assistant', content: words(size) },
    { role: 'user', content: `m${index}` },
  ]).flat();

describe('a session whose pins leave little room', () => {
  const pinned = { role: 'assistant', content: words(25_800) };
  const start = [{ role: 'user', content: `task ${words(800)}` }, pinned, { role: 'user', content: 'ok' }];

  function run(
    messages: readonly unknown[],
    steps: number,
    more: Partial<Policy> = {},
  ): { asked: number; ends: Step['type'][] } {
    const policy = policyOf(40_000, 'reactive-overflow', {
      summariser: { type: 'model', windowTokens: 40_000 },
      background: false,
      pins: [1],
      ...more,
    });
    let transcript = transcriptOf(messages);
    let state = emptyState();
    let asked = 0;
    const ends: Step['type'][] = [];
    for (let step = 0; step < steps; step += 1) {
      let done = prepare(transcript, state, policy);
      for (; done.type === 'model-needed'; asked += 1)
        done = resume(transcript, done.paused, policy, { type: 'failed', cause: 'timeout', message: '' });
      ends.push(done.type);
      state = done.state;
      transcript = appendMessages(transcript, talk(1, 300));
    }
    return { asked, ends };
  }

  it('asks the summariser again only after a tenth of the trigger is new', () => {
    const { asked, ends } = run([...start, ...talk(40, 300)], 30);
    expect(ends).toEqual(ends.map(() => 'ready'));
    // 30 steps of about 220 tokens against a tenth of 28 400.
    expect(asked).toBeLessThanOrEqual(3);
    expect(asked).toBeGreaterThan(0);
  });

  it('asks it once, and not at every step, where the request cannot be sent at all', () => {
    const { asked, ends } = run([...start, ...talk(40, 300)], 6, {
      pins: Array.from({ length: 20 }, (_, index) => 2 * index + 1),
    });
    expect(ends).toContain('cannot-fit');
    expect(asked).toBeLessThanOrEqual(1);
  });
});
