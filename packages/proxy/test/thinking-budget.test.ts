import { createStrictUpstream, numberedWords } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { askRecalling, hear, recalls, saying } from './recalling.ts';
import { longTalk } from './questions.ts';
import { startProxy } from './start-proxy.ts';
import type { StrictUpstream } from '@throughline/testkit';

const thinking = (budget: number): object => ({
  thinking: { type: 'enabled', budget_tokens: budget, display: 'summarized' },
});

interface Limits {
  readonly max_tokens: number;
  readonly thinking: { readonly budget_tokens: number };
}

/** What was asked for, request by request. */
function limitsOf({ requests }: StrictUpstream): readonly (readonly [max: number, budget: number])[] {
  return requests.map(({ json }) => {
    const { max_tokens: max, thinking: thought } = json as Limits;
    return [max, thought.budget_tokens];
  });
}

/** The rule of the API, by which the strict upstream refuses, too. */
function expectPossible(upstream: StrictUpstream): void {
  expect(upstream.faults).toEqual([]);
  for (const [max, budget] of limitsOf(upstream)) {
    expect(budget).toBeGreaterThanOrEqual(1_024);
    expect(max).toBeGreaterThan(budget);
  }
}

describe.each([true, false])('a budget for thinking (streamed: %s)', (isStreamed) => {
  it('stays below the limit of the answer, however long the conversation', async () => {
    const windowTokens = 9_000;
    const upstream = await createStrictUpstream({ windowTokens, countsMaxTokens: true });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    for (let turns = 1; turns < 26; turns += 2) {
      const more = { max_tokens: 6_000, ...thinking(4_800) };
      const heard = await hear(proxy.url, {
        dialect: 'messages',
        isStreamed,
        messages: longTalk(turns),
        more,
      });
      expect(heard.status).toBe(200);
    }
    await upstream.stop();
    expectPossible(upstream);
    const lowered = limitsOf(upstream).filter(([max]) => max < 6_000);
    expect(lowered.length).toBeGreaterThan(3);
    // What is lowered leaves room for words behind the thoughts.
    for (const [max, budget] of lowered) expect(max - budget).toBeGreaterThanOrEqual(1_024);
    // The budget is another one only where it has to be: a change of it costs the prompt cache.
    expect(
      limitsOf(upstream)
        .filter(([max]) => max >= 4_800 + 1_024)
        .map(([, budget]) => budget),
    ).toContain(4_800);
    expect(upstream.requests.at(-1)?.bytes.toString()).toContain('"display":"summarized"');
  });

  it('stays below what is left of the limit behind each recall', async () => {
    const spending = { reasoning: numberedWords(500), calls: [recalls({ id: 'm0' })] };
    const { upstream, heard } = await askRecalling(
      { dialect: 'messages', isStreamed, more: { max_tokens: 4_000, ...thinking(3_000) } },
      saying(spending, spending, { text: 'Under the third stone.' }),
    );
    expect(upstream.requests).toHaveLength(3);
    expectPossible(upstream);
    expect(heard.text).toBe('Under the third stone.');
  });

  it('that no longer fits into the limit behind a recall ends the answer with its length', async () => {
    const spending = { reasoning: numberedWords(500), text: 'Let me look.', calls: [recalls({ id: 'm0' })] };
    const { upstream, heard } = await askRecalling(
      { dialect: 'messages', isStreamed, more: { max_tokens: 1_500, ...thinking(1_024) } },
      saying(spending, { text: 'Under the third stone.' }),
    );
    expect(upstream.requests).toHaveLength(1);
    expect([heard.status, heard.finish, heard.text]).toEqual([200, 'max_tokens', 'Let me look.']);
  });

  it('stays below what is left of the limit in what continues an answer', async () => {
    const windowTokens = 5_000;
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const messages = longTalk(9, 'Answer with 3400 tokens.');
    const more = { max_tokens: 5_000, ...thinking(2_500) };
    const heard = await hear(proxy.url, { dialect: 'messages', isStreamed, messages, more });
    await upstream.stop();
    expect(upstream.requests.length).toBeGreaterThan(1);
    expectPossible(upstream);
    expect(heard.text).toContain(/word\d+\.$/.exec(numberedWords(3_400))?.[0]);
  });
});

describe('a budget above the limit of the answer', () => {
  it('is left to the API, which takes it between calls of tools', async () => {
    const windowTokens = 6_000;
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const messages = longTalk(9);
    const more = { max_tokens: 5_000, ...thinking(9_000) };
    await hear(proxy.url, { dialect: 'messages', isStreamed: false, messages, more });
    await upstream.stop();
    const [[max, budget] = [0, 0]] = limitsOf(upstream);
    expect(max).toBeLessThan(5_000);
    expect(budget).toBe(9_000);
  });
});
