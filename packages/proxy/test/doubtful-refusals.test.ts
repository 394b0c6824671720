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
      const store = isStored ? (await openMemoryStore()).proxy : undefined;
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

describe('a refusal that says nothing, where less was refused as well', () => {
  it.each(['one', 'two that share a store'])(
    'is not answered with less again, until an answer has come, by %s',
    async (by) => {
      // One that counts nothing, so that the estimate stays as it is.
      const choices = [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }];
      const answer = refusing(JSON.stringify({ choices }), 200);
      const failures = [refusing(''), refusing(''), refusing(''), answer, refusing('')];
      const upstream = await createStrictUpstream({ failures });
      await using store = await openMemoryStore();
      const services = by === 'one' ? {} : { store: store.proxy, sharesStore: true };
      const start = { windowTokens: 6_000, services };
      await using proxy = await startProxy(`${upstream.url}/v1`, start);
      await using second = by === 'one' ? undefined : await startProxy(`${upstream.url}/v1`, start);
      const messages = longTalk(17);
      const statuses: number[] = [];
      for (let turn = 0; turn < 4; turn += 1) {
        const { url } = turn % 2 === 0 ? proxy : (second ?? proxy);
        statuses.push((await ask(url, messages)).status);
      }
      await upstream.stop();
      const bodies = bodiesOf(upstream);
      expect(statuses).toEqual([400, 400, 200, 200]);
      expect(bodies.map((body) => body === bodies[0])).toEqual([true, false, true, true, true, false]);
    },
  );
});

describe('two requests at once that are refused without a word', () => {
  it.each([
    ['the one before the other', [2, 3]],
    ['the other before the one', [3, 2]],
  ] as const)('are tried with one smaller history, and nothing is kept of it: %s', async (_, order) => {
    const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const failures = gates.map(({ promise }) => ({
      ...refusing(''),
      waitAfter: { packets: 0, until: promise },
    }));
    const upstream = await createStrictUpstream({ failures });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 6_000 });
    const messages = longTalk(17);
    const answers: Promise<RawAnswer>[] = [];
    for (const at of [0, 1]) {
      answers.push(ask(proxy.url, messages));
      await upstream.request(at);
    }
    for (const at of [0, 1]) {
      gates[at]?.resolve();
      await upstream.request(2 + at);
    }
    for (const at of order) {
      gates[at]?.resolve();
      await answers[at - 2];
    }
    await ask(proxy.url, messages);
    await upstream.stop();
    const [first, second, third, fourth, fifth] = bodiesOf(upstream);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([400, 400]);
    expect([second, fifth]).toEqual([first, first]);
    expect(third).not.toBe(first);
    expect(fourth).toBe(third);
  });
});

describe('what is taken back of a request', () => {
  it('is nothing that another one has made meanwhile', async () => {
    let refuse: (() => void) | undefined;
    const until = new Promise<void>((resolve) => (refuse = resolve));
    const tooLong = refusing('{"error":{"message":"prompt is too long"}}');
    const waiting: Failure = { ...refusing(''), waitAfter: { packets: 0, until } };
    const upstream = await createStrictUpstream({
      failures: [waiting, tooLong, undefined, refusing('')],
    });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 6_000 });
    const messages = longTalk(17);
    const slow = ask(proxy.url, messages);
    await upstream.request(0);
    await ask(proxy.url, messages);
    refuse?.();
    const answer = await slow;
    await ask(proxy.url, messages);
    await upstream.stop();
    const bodies = bodiesOf(upstream);
    expect(answer.status).toBe(400);
    expect(bodies).toHaveLength(5);
    expect(bodies[2]).not.toBe(bodies[1]);
    expect(bodies[4]).toBe(bodies[2]);
  });
});

describe('a refusal as too large', () => {
  it.each([true, false])('counts under a status of 200, too (streamed: %s)', async (isStreamed) => {
    const message = 'prompt is too long: 9000 tokens > 5000 maximum';
    const upstream = await createStrictUpstream({
      failures: [refusing(JSON.stringify({ error: { message } }), 200)],
    });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const answer = await ask(proxy.url, longTalk(40), isStreamed);
    await upstream.stop();
    expect([answer.status, answer.headers['x-context-window']]).toEqual([200, '5000']);
    expect(upstream.requests.map(({ status }) => status)).toEqual([200, 200]);
    expect(answer.text).not.toContain('too long');
  });

  it('of two at once is answered with one smaller history', async () => {
    const { promise: until, resolve: refuse } = Promise.withResolvers<void>();
    const tooLong = {
      ...refusing('{"error":{"message":"prompt is too long"}}'),
      waitAfter: { packets: 0, until },
    };
    const upstream = await createStrictUpstream({ failures: [tooLong, tooLong] });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 40_000 });
    const both = [ask(proxy.url, longTalk(17)), ask(proxy.url, longTalk(17))];
    await upstream.request(1);
    refuse();
    const answers = await Promise.all(both);
    await upstream.stop();
    const [first, second, third, fourth] = bodiesOf(upstream);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect([second, fourth]).toEqual([first, third]);
    expect(third).not.toBe(first);
  });

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

  it.each([400, 402, 403, 503])(
    'keeps what was made smaller for it, though that is refused for another reason (%i)',
    async (status) => {
      const tooLong = refusing('{"error":{"message":"prompt is too long"}}');
      const other = refusing('{"error":{"message":"foo: Extra inputs are not permitted"}}', status);
      const upstream = await createStrictUpstream({ failures: [tooLong, other] });
      await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 40_000 });
      const messages = longTalk(17);
      const answer = await ask(proxy.url, messages);
      await ask(proxy.url, messages);
      await upstream.stop();
      const [first, second, third] = bodiesOf(upstream);
      expect(answer.status).toBe(status);
      expect(second).not.toBe(first);
      expect(third).toBe(second);
    },
  );
});

const noCredit = '{"error":{"message":"no credit"}}';
const streamed = (body: string): Failure => ({ raw: { status: 200, body, type: 'text/event-stream' } });

describe('a refusal that says nothing, and then', () => {
  it.each([
    ['one for another reason', refusing(noCredit, 402), false],
    ['one under a status of 200', refusing(noCredit, 200), false],
    ['one under a status of 200, in place of a stream', refusing(noCredit, 200), true],
    ['one in a stream', streamed(`data: ${noCredit}\n\n`), true],
    ['a server that is down', refusing('{"error":{"message":"down"}}', 503), false],
    ['a connection that breaks', 'reset before the head', false],
    ['a stream that breaks before anything is said', { hasEarlyHead: true, resetAfter: 1 }, true],
  ] as const)('%s: nothing is kept of what was made smaller', async (_, failure, isStreamed) => {
    const upstream = await createStrictUpstream({ failures: [refusing(''), failure] });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 6_000 });
    const messages = longTalk(17);
    await ask(proxy.url, messages, isStreamed);
    await ask(proxy.url, messages, isStreamed);
    await upstream.stop();
    const [first, second, third] = bodiesOf(upstream);
    expect(second).not.toBe(first);
    expect(third).toBe(first);
  });
});

describe('a refusal that says nothing, where nothing is said of the smaller request', () => {
  it.each([
    ['because there were too many', refusing('{"error":{"message":"slow down"}}', 429), false],
    ['because the server is down', refusing('{"error":{"message":"down"}}', 503), false],
    ['because the connection breaks', 'reset before the head', false],
    ['because its stream breaks', { hasEarlyHead: true, resetAfter: 1 }, true],
  ] as const)('is answered with less again: %s', async (_, failure, isStreamed) => {
    const upstream = await createStrictUpstream({ failures: [refusing(''), failure, refusing('')] });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 6_000 });
    const messages = longTalk(17);
    await ask(proxy.url, messages, isStreamed);
    const again = await ask(proxy.url, messages, isStreamed);
    await upstream.stop();
    const [first, second, third, fourth] = bodiesOf(upstream);
    expect(again.status).toBe(200);
    expect(third).toBe(first);
    expect(fourth).toBe(second);
  });
});

const quoted =
  "This model's maximum context length is 100 tokens. However, your messages resulted in 900 tokens.";
const wordless = 'Your input exceeds the context window of this model.';

describe.each([quoted, wordless])('a refusal for another reason that echoes the request (%s)', (words) => {
  it('is handed on, and nothing is learned of it', async () => {
    const said = longTalk(9, `My server says "${words}" Why?`);
    const echo = JSON.stringify(JSON.stringify([{ role: 'user', content: said.at(-1)?.text }]));
    const message = `1 validation error: {'type': 'extra_forbidden', 'loc': ('body','foo'), 'input': ${echo}}`;
    const body = JSON.stringify({ error: { message, type: 'BadRequestError', code: 400 } });
    const upstream = await createStrictUpstream({ failures: [refusing(body)] });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const answer = await ask(proxy.url, said);
    const other = await ask(proxy.url, longTalk(3));
    await upstream.stop();
    expect([answer.status, answer.text]).toEqual([400, body]);
    expect(upstream.requests).toHaveLength(2);
    expect(other.headers['x-context-window']).toBe('16000');
    expect(proxy.lines).toEqual([]);
  });
});

describe('a refusal whose words stand in the conversation, too', () => {
  const tooLong = [
    'prompt is too long',
    'The prompt is too long.',
    'Request rejected by the model server: prompt is too long. Make it shorter and try again.',
  ].map((message) => JSON.stringify({ error: { message } }));

  it.each(tooLong.flatMap((body) => ['prompt is too long', body].map((pasted) => [body, pasted] as const)))(
    'is believed where it does not repeat what stands around them: %s to %s',
    async (body, pasted) => {
      const upstream = await createStrictUpstream({ failures: [refusing(body)] });
      await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 40_000 });
      const answer = await ask(proxy.url, longTalk(17, `My server says: ${pasted}. Why does it say this?`));
      await upstream.stop();
      expect(answer.status).toBe(200);
    },
  );

  it('is believed where its numbers can be those of the request', async () => {
    const upstream = await createStrictUpstream({ windowTokens: 5_000 });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const pasted = `It says: This model's maximum context length is 5000 tokens. However, your messages resulted in`;
    const answer = await ask(proxy.url, [...longTalk(26, pasted)]);
    await upstream.stop();
    expect(upstream.requests.map(({ status }) => status)).toEqual([400, 200]);
    expect(answer.headers['x-context-window']).toBe('5000');
  });
});

const told = { services: { discoverLimits: () => Promise.resolve({ windowTokens: 100_000 }) } };

describe('numbers that contradict what was sent', () => {
  it.each([
    [
      'a prompt of another size',
      'maximum context length is 200 tokens. However, your messages resulted in 99000 tokens',
    ],
    ['a limit that is larger than the request', "This model's maximum context length is 64000 tokens."],
  ])('are not learned: %s', async (_, words) => {
    const body = JSON.stringify({ error: { message: `It failed: ${words}` } });
    const upstream = await createStrictUpstream({ failures: [refusing(body)] });
    await using proxy = await startProxy(`${upstream.url}/v1`, told);
    await ask(proxy.url, longTalk(5));
    const other = await ask(proxy.url, longTalk(3));
    await upstream.stop();
    expect(other.headers['x-context-window']).toBe('100000');
  });

  it('are not learned where a longer prompt was answered before', async () => {
    const body = JSON.stringify({ error: { message: 'The maximum context length is 600 tokens' } });
    const upstream = await createStrictUpstream({ failures: [undefined, refusing(body)] });
    await using proxy = await startProxy(`${upstream.url}/v1`, told);
    const messages = longTalk(9);
    await ask(proxy.url, messages.slice(0, -2));
    await ask(proxy.url, messages);
    const other = await ask(proxy.url, longTalk(3));
    await upstream.stop();
    expect(other.headers['x-context-window']).toBe('100000');
  });
});
