import { parseState } from '@throughline/core';
import { findWireFaults } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { countTokens, fileOf, noRequests, policy, task, windowTokens } from './long-agent.ts';
import { providers } from './sdk-clients.ts';
import type { Policy } from '@throughline/core';
import type { Requests } from './long-agent.ts';
import type { Provider, Script } from './sdk-clients.ts';

const steps = 120;

/** Reads file after file; the call before the last asks back what was said first. */
function reader(): Script {
  let asked = 0;
  return () => {
    asked += 1;
    const id = `call_${asked}`;
    if (asked > steps) return { text: 'Done.' };
    if (asked === steps) return { call: { id, name: 'recall', input: { query: 'limit_1_1 ' } } };
    return { call: { id, name: 'read', input: { path: `src/${asked}.ts` } } };
  };
}

async function longRun({ open, format }: Provider, told: Policy): Promise<Requests & { recalled: string }> {
  const requests = noRequests();
  const talk = open(requests, reader());
  let recalled = '';
  talk.say(task);
  for (let step = 0; ; step += 1) {
    const call = await talk.ask({ policy: told });
    if (!call) break;
    if (call.name === 'recall') recalled = talk.recall(call.input);
    talk.answer(call, call.name === 'recall' ? recalled : fileOf(step + 1));
    // Another process goes on with what was stored.
    if (step % 10 === 9) talk.state = parseState(JSON.parse(JSON.stringify(talk.state)));
  }
  requests.fullTokens = countTokens(talk.history);
  for (const [index, prompt] of requests.prompts.entries()) {
    expect(
      findWireFaults(format, prompt, { ending: 'send', wantsUserFirst: true }),
      `request ${index}`,
    ).toEqual([]);
    expect(JSON.stringify(prompt)).toContain(task);
  }
  return { ...requests, recalled };
}

describe.each(providers)('$name', (provider) => {
  it('works on through ten windows, finds again what was left out, and ends', async () => {
    const { prompts, refusals, fullTokens, recalled } = await longRun(provider, policy);
    expect(refusals).toBe(0);
    expect(prompts).toHaveLength(steps + 1);
    expect(fullTokens).toBeGreaterThan(10 * windowTokens);
    expect(recalled).toContain('account-1');
  });

  it('goes on smaller where the window is smaller than was believed', async () => {
    const told = { ...policy, budget: { windowTokens: 3 * windowTokens } };
    const { prompts, refusals } = await longRun(provider, told);
    // Refused once, the window is known: the state carries it.
    expect(refusals).toBe(1);
    expect(prompts).toHaveLength(steps + 1);
  });
});
