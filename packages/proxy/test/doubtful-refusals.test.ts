import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { callOf, longTalk } from './questions.ts';
import { openMemoryStore } from '@throughline/stores';
import { rawCall } from './raw-call.ts';
import { startProxy } from './start-proxy.ts';
import type { Failure, StrictUpstream } from '@throughline/testkit';
import type { RawAnswer } from './raw-call.ts';
import type { Said } from './askers.ts';

const silent = ['{"error":{"message":"Bad Request"}}', '{}', ''];
const refusing = (body: string, status = 400): Failure => ({ raw: { status, body } });

function ask(url: string, messages: readonly Said[], isStreamed = false): Promise<RawAnswer> {
  return rawCall(url, callOf({ dialect: 'chat', isStreamed, messages }));
}

const bodiesOf = ({ requests }: StrictUpstream): readonly string[] =>
  requests.map(({ bytes }) => bytes.toString());

describe.each(silent)('a refusal that says nothing (%s)', (body) => {
  it.each([true, false])(
    'is handed on as it came where the prompt is far from filling the window (streamed: %s)',
    async (isStreamed) => {
      const upstream = await createStrictUpstream({ failures: [undefined, refusing(body)] });
      await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 40_000 });
      const messages = longTalk(20);
      const before = await ask(proxy.url, messages.slice(0, -2));
      const answer = await ask(proxy.url, messages, isStreamed);
      expect([before.status, answer.status, answer.text]).toEqual([200, 400, body]);
      await ask(proxy.url, messages);
      await upstream.stop();
      expect(upstream.requests).toHaveLength(3);
      expect(upstream.requests[2]?.asked?.messages).toHaveLength(messages.length);
      expect(proxy.lines).toEqual([]);
    },
  );

  it('is tried once with less where the prompt nearly fills it, which is kept where it helps', async () => {
    const upstream = await createStrictUpstream({ failures: [refusing(body)] });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 6_000 });
    const messages = longTalk(17);
    const answer = await ask(proxy.url, messages);
    const again = await ask(proxy.url, messages);
    await upstream.stop();
    const [first = '', second = '', third] = bodiesOf(upstream);
    expect([answer.status, again.status]).toEqual([200, 200]);
    expect(second.length).toBeLessThan(first.length);
    expect(third).toBe(second);
  });

  it.each([false, true])(
    'is handed on where less is refused as well, and nothing is kept of that (stored: %s)',
    async (isStored) => {
      const upstream = await createStrictUpstream({ failures: [refusing(body), refusing(body)] });
      const store = isStored ? openMemoryStore().proxy : undefined;
      const start = { windowTokens: 6_000, ...(store && { services: { store } }) };
      const messages = longTalk(17);
      {
        await using proxy = await startProxy(`${upstream.url}/v1`, start);
        const answer = await ask(proxy.url, messages);
        expect([answer.status, answer.text]).toEqual([400, body]);
        if (!isStored) await ask(proxy.url, messages);
      }
      // With a store another process goes on from what is there.
      await using other = await startProxy(`${upstream.url}/v1`, start);
      if (isStored) await ask(other.url, messages);
      await upstream.stop();
      const [first, second, third] = bodiesOf(upstream);
      expect(upstream.requests).toHaveLength(3);
      expect(second).not.toBe(first);
      expect(third).toBe(first);
    },
  );
});

describe('a refusal as too large', () => {
  it('is never answered with the same bytes again', async () => {
    const message = 'prompt is too long';
    const failures = (): Failure => refusing(JSON.stringify({ error: { message } }));
    const upstream = await createStrictUpstream({ failures });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 6_000 });
    for (const messages of [longTalk(1), longTalk(3), longTalk(17)]) await ask(proxy.url, messages);
    await upstream.stop();
    const bodies = bodiesOf(upstream);
    expect(new Set(bodies).size).toBe(bodies.length);
  });

  it('keeps nothing of a smaller request that is refused for another reason', async () => {
    const tooLong = refusing('{"error":{"message":"prompt is too long"}}');
    const other = refusing('{"error":{"message":"foo: Extra inputs are not permitted"}}');
    const upstream = await createStrictUpstream({ failures: [tooLong, other] });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 40_000 });
    const messages = longTalk(17);
    const answer = await ask(proxy.url, messages);
    await ask(proxy.url, messages);
    await upstream.stop();
    const [first, second, third] = bodiesOf(upstream);
    expect(answer.status).toBe(400);
    expect(second).not.toBe(first);
    expect(third).toBe(first);
  });
});
