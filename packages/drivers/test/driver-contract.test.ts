import { findWireFaults } from '@throughline/testkit';
import type { ModelEvent, StepRequest } from '@throughline/ports';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breath, reply, reset, stall, startServer, stream } from './fake-server.ts';
import type { Frame } from './fake-server.ts';
import { checkedStep, readStep } from './read-step.ts';
import { aiSdkWire } from './wires/ai-sdk-wire.ts';
import { anthropicWire } from './wires/anthropic-wire.ts';
import { openaiChatWire } from './wires/openai-chat-wire.ts';
import { openaiResponsesWire } from './wires/openai-responses-wire.ts';
import type { Said } from './wires/wire.ts';

const wires = [openaiChatWire, anthropicWire, openaiResponsesWire, aiSdkWire];

const tools = [
  { name: 'read', description: 'Reads a file', inputSchema: { type: 'object', properties: {} } },
  { name: 'glob', description: 'Lists files', inputSchema: { type: 'object', properties: {} } },
];
const usage = { input: 1_000, cacheRead: 700, cacheWrite: 200, output: 50, reasoning: 20 };
const greeting: Said = { text: ['Good ', 'day.'], finish: 'stop', usage };
const working: Said = {
  reasoning: ['Two files ', 'at once.'],
  text: ['I read both.'],
  calls: [
    { id: 'call_a', name: 'read', input: ['{"pa', 'th":"a.ts"}'] },
    { id: 'call_b', name: 'read', input: ['{"path":"b.ts"}'] },
  ],
  finish: 'tool-calls',
  usage,
};

describe.each(wires)('the driver of $name', (wire) => {
  const request = (text = 'Hello'): StepRequest => {
    const { messages } = codec().compose({
      role: 'user',
      parts: [{ type: 'text', text }],
      kind: 'converted',
    });
    return { system: 'You are an agent.', messages, tools };
  };
  const codec = () => wire.create('http://127.0.0.1:1').codec;

  it('streams a text and tells usage, each token of the prompt once', async () => {
    await using server = await startServer(stream(wire.say(greeting)));
    const { text, last, events } = await readStep(wire.create(server.url), request());
    expect(text).toBe('Good day.');
    expect(events.filter(({ type }) => type === 'text-delta')).toHaveLength(2);
    expect(last).toMatchObject({ type: 'end', finish: 'stop' });
    expect(last.type === 'end' && last.usage).toEqual({
      inputTokens: 1_000,
      outputTokens: 50,
      reasoningTokens: wire.silentOn.includes('reasoning') ? 0 : 20,
      cacheReadTokens: 700,
      cacheWriteTokens: wire.silentOn.includes('cacheWrite') ? 0 : 200,
      totalTokens: 1_050,
    });
    expect(last.type === 'end' && last.response.model).toBe('m-2026');
  });

  it('sends system text, messages and tools', async () => {
    await using server = await startServer(stream(wire.say(greeting)));
    await readStep(wire.create(server.url, 'sk-secret'), request('A question'));
    const sent = JSON.stringify(server.requests[0]?.body);
    for (const part of ['You are an agent.', 'A question', '"read"', 'Lists files']) {
      expect(sent).toContain(part);
    }
    expect(JSON.stringify(server.requests[0]?.headers)).toContain('sk-secret');
  });

  it('tells reasoning and parallel calls, and the messages that go back', async () => {
    await using server = await startServer(stream(wire.say(working)), stream(wire.say(greeting)));
    const driver = wire.create(server.url);
    const first = request();
    const { reasoning, text, calls, last } = await readStep(driver, first);
    expect([reasoning, text]).toEqual(['Two files at once.', 'I read both.']);
    expect(calls).toEqual([
      {
        callId: 'call_a',
        name: 'read',
        input: { path: 'a.ts' },
        inputText: '{"path":"a.ts"}',
        isInvalid: false,
        isProviderExecuted: false,
      },
      expect.objectContaining({ callId: 'call_b', input: { path: 'b.ts' } }),
    ]);
    expect(last).toMatchObject({ type: 'end', finish: 'tool-calls' });
    const results = resultsFor(['call_a', 'call_b']);
    const history = [...first.messages, ...last.messages, ...results];
    expect(findWireFaults(wire.format, history, { ending: 'send' })).toEqual([]);
    await readStep(driver, { ...first, messages: history });
    const again = JSON.stringify(server.requests[1]?.body);
    expect(again).toContain('call_b');
    if (wire.format !== 'openai-chat') expect(again).toMatch(/c2lnbmF0dXJl|ZW5jcnlwdGVk/);
  });

  it('reports messages that its codec reads as what was streamed', async () => {
    await using server = await startServer(stream(wire.say(working)));
    const { last } = await readStep(wire.create(server.url), request());
    const parts = last.messages.flatMap((message, index) => codec().decode(message, index).parts);
    expect(parts.map(({ type }) => type)).toEqual(['reasoning', 'text', 'call', 'call']);
    expect(parts[0]).toMatchObject({ text: 'Two files at once.' });
    expect(parts[1]).toMatchObject({ text: 'I read both.' });
    expect(parts[2]).toMatchObject({ callId: 'call_a', name: 'read' });
  });

  it.each(['length', 'refusal'] as const)('tells that an answer ended by %s', async (finish) => {
    await using server = await startServer(stream(wire.say({ text: ['Half'], finish, usage })));
    const { last } = await readStep(wire.create(server.url), request());
    expect(last).toMatchObject({ type: 'end', finish });
  });

  it('tells calls whose arguments do not parse, and reports them so that they can be sent', async () => {
    const calls = [{ id: 'call_a', name: 'read', input: ['{"path": "a', '.ts'] }];
    await using server = await startServer(stream(wire.say({ calls, finish: 'tool-calls' })));
    const { calls: told, last } = await readStep(wire.create(server.url), request());
    expect(told).toMatchObject([{ input: '{"path": "a.ts', inputText: '{"path": "a.ts', isInvalid: true }]);
    expect(last.type).toBe('end');
    const entry = last.messages.map((message, index) => codec().decode(message, index));
    expect(JSON.stringify(entry)).toContain('INVALID_JSON');
    const history = [...request().messages, ...last.messages, ...resultsFor(['call_a'])];
    expect(findWireFaults(wire.format, history, { ending: 'send' })).toEqual([]);
  });

  it('takes no arguments at all as an empty object', async () => {
    const calls = [{ id: 'call_a', name: 'glob', input: [] }];
    const said = { calls, finish: 'tool-calls' } as const;
    await using server = await startServer(stream(wire.say(said)));
    const { calls: told } = await readStep(wire.create(server.url), request());
    expect(told).toMatchObject([{ input: {}, isInvalid: false }]);
  });

  it('puts characters together that come in pieces', async () => {
    const text = ['日本', '語 \ud83d', '\ude00 ß'];
    const bytes = new TextEncoder().encode(wire.say({ text, finish: 'stop' }).join(''));
    // JSON writes half a character as an escape; the rest is cut inside the bytes of a character.
    const frames = [...bytes]
      .flatMap((_, index): Frame[] => [bytes.slice(index, index + 1), breath])
      .slice(0, 4_000);
    await using server = await startServer(stream(frames, bytes.slice(2_000)));
    const { text: told, last } = await readStep(wire.create(server.url), request());
    expect(told).toBe('日本語 😀 ß');
    expect(last.type).toBe('end');
    expect(JSON.stringify(last.messages)).toContain('😀');
  });

  it('replaces half a character that stays half', async () => {
    const said = { text: ['broken \ud83d'], finish: 'stop' } as const;
    await using server = await startServer(stream(wire.say(said)));
    const { text, last } = await readStep(wire.create(server.url), request());
    expect(text).toBe('broken \ufffd');
    expect(findWireFaults(wire.format, last.messages, { ending: 'open' })).not.toContainEqual(
      expect.stringContaining('surrogate'),
    );
  });

  it('reads an overflow with its numbers', async () => {
    await using server = await startServer(wire.errors.overflow);
    const { last } = await readStep(wire.create(server.url), request());
    expect(last).toMatchObject({
      type: 'error',
      failure: { kind: 'overflow', limitTokens: 131_072, recoverable: true, status: 400 },
      messages: [],
    });
    expect(server.requests).toHaveLength(1);
  });

  it('reads an overflow behind a status 200', async () => {
    await using server = await startServer(stream(wire.overflowInStream));
    const { last } = await readStep(wire.create(server.url), request());
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'overflow', recoverable: true } });
  });

  it('reads an error that comes as JSON with status 200', async () => {
    const { frames } = wire.errors.overflow;
    await using server = await startServer({ headers: { 'content-type': 'application/json' }, frames });
    const { last } = await readStep(wire.create(server.url), request());
    expect(last).toMatchObject({ type: 'error', failure: { kind: expectedOfJson(wire.name) } });
  });

  it('says how long a rate limit wants one to wait, and does not wait itself', async () => {
    await using server = await startServer(wire.errors.rate);
    const { last } = await readStep(wire.create(server.url), request());
    expect(last).toMatchObject({
      type: 'error',
      failure: { kind: 'rate', retryAfterMs: 7_000, recoverable: true, status: 429 },
    });
    expect(server.requests).toHaveLength(1);
  });

  it('tells a wrong key without repeating it', async () => {
    await using server = await startServer(wire.errors.auth);
    const { last } = await readStep(wire.create(server.url, 'sk-secret'), request());
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'auth', recoverable: false, status: 401 } });
    expect(JSON.stringify(last)).not.toContain('sk-secret');
  });

  it('tells a server that is down', async () => {
    await using server = await startServer(wire.errors.down);
    const { last } = await readStep(wire.create(server.url), request());
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'provider', recoverable: true } });
  });

  it('tells a server that nobody reaches', async () => {
    const { last } = await readStep(wire.create('http://127.0.0.1:9'), request());
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'provider', recoverable: true } });
  });

  it('keeps the text of an answer that breaks off with an error', async () => {
    await using server = await startServer(stream(wire.overloadedInStream));
    const { text, last } = await readStep(wire.create(server.url), request());
    expect(text).toBe('Half');
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'provider', recoverable: true } });
    expect(JSON.stringify(last.messages)).toContain('Half');
    expect(findWireFaults(wire.format, [...request().messages, ...last.messages])).toEqual([]);
  });

  it('tells a connection that breaks, and keeps what can be sent again: no calls, no reasoning', async () => {
    const events = wire.say(working);
    await using server = await startServer(stream(events.slice(0, -3), reset));
    const { last, reasoning } = await readStep(wire.create(server.url), request());
    expect(reasoning).toBe('Two files at once.');
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'provider', recoverable: true } });
    const parts = last.messages.flatMap((message, index) => codec().decode(message, index).parts);
    expect(parts).toMatchObject([{ type: 'text', text: 'I read both.' }]);
  });

  it('takes an answer for whole whose connection breaks behind its last word', async () => {
    const events = wire.say(greeting);
    // What ends a stream beside the answer: `[DONE]`, `message_stop`.
    const marker = events.at(-1)?.includes('usage') ? events : events.slice(0, -1);
    await using server = await startServer(stream(marker, reset));
    const { text, last } = await readStep(wire.create(server.url), request());
    expect(text).toBe('Good day.');
    // The AI SDK tells the end only when the stream has ended.
    expect(last.type).toBe(wire.name === 'ai sdk' ? 'error' : 'end');
  });

  it('tells a stream that ends before the answer does', async () => {
    const events = wire.say({ text: ['Good '], finish: 'stop' });
    const cut = events.findIndex((event) => event.includes('Good '));
    await using server = await startServer(stream(events.slice(0, cut + 1)));
    const step = await readStep(wire.create(server.url), request());
    expect(step.last).toMatchObject({ type: 'error', failure: { kind: 'provider', recoverable: true } });
  });

  it('ends at once when it is cancelled in the middle of a stalled stream, and closes the connection', async () => {
    const events = wire.say(working).filter((event) => !event.includes('b.ts'));
    await using server = await startServer(stream(events.slice(0, 6), stall));
    const abort = new AbortController();
    const seen: ModelEvent[] = [];
    for await (const event of wire.create(server.url).stream(request(), { signal: abort.signal })) {
      seen.push(event);
      if (event.type === 'reasoning-delta' || event.type === 'text-delta') abort.abort();
    }
    expect(checkedStep(seen).last).toMatchObject({ failure: { kind: 'cancelled', recoverable: false } });
    await server.requests[0]?.left;
  });

  it('ends at once when it is cancelled before the server answers', async () => {
    await using server = await startServer({ frames: [stall] });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 30);
    const { last } = await readStep(wire.create(server.url), request(), abort.signal);
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'cancelled' } });
  });

  it('sends nothing when it is cancelled before it begins', async () => {
    await using server = await startServer();
    const { events } = await readStep(wire.create(server.url), request(), AbortSignal.abort());
    expect(events).toMatchObject([{ type: 'error', failure: { kind: 'cancelled' } }]);
    expect(server.requests).toHaveLength(0);
  });

  it('closes the connection when nobody reads on', async () => {
    await using server = await startServer(stream(wire.say(greeting).slice(0, 5), stall));
    const { signal } = new AbortController();
    for await (const event of wire.create(server.url).stream(request(), { signal })) {
      if (event.type === 'text-delta') break;
    }
    await server.requests[0]?.left;
  });

  it('uses a connection again whose stream it has read', async () => {
    await using server = await startServer(...Array.from({ length: 3 }, () => stream(wire.say(greeting))));
    const driver = wire.create(server.url);
    for (let step = 0; step < 3; step += 1) {
      await readStep(driver, request());
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(server.connections()).toBe(1);
  });

  it('keeps its grammar whatever the order in which events come', async () => {
    const events = wire.say(working);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(events.length - 1), { maxLength: 40 }), async (order) => {
        const text = order.map((index) => events[index] ?? '').join('');
        await using server = await startServer(stream(text));
        const { last } = await readStep(wire.create(server.url), request());
        const history = [...request().messages, ...last.messages];
        const faults = findWireFaults(wire.format, history, { ending: 'open' });
        // An event that comes twice makes a call twice; the core's repair tells the two apart.
        expect(faults.filter((fault) => !/repeats|calls twice/.test(fault))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('survives a stream of nonsense', async () => {
    const nonsense = [
      'null',
      '[]',
      '"text"',
      '{"type":3}',
      '{"choices":[{"delta":{"tool_calls":[null]}}]}',
      '{',
    ];
    const frames = nonsense.map((data) => `event: message_start\ndata: ${data}\n\n`);
    for (const frame of frames) {
      await using server = await startServer(stream(frame));
      const { last } = await readStep(wire.create(server.url), request());
      expect(last.type).toBe('error');
    }
  });

  it('keeps the tools in a request in which the model is not to use them, and says so', async () => {
    await using server = await startServer(stream(wire.say(greeting)));
    await readStep(wire.create(server.url), { ...request(), toolChoice: 'none' });
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toMatch(/"tool_?choice":(?:"none"|\{"type":"none"\})/i);
    expect(sent).toContain('"glob"');
  });

  // A model of the AI SDK brings its own `fetch`.
  it.skipIf(wire.name === 'ai sdk')(
    'does not follow a redirect with the history, and says where to',
    async () => {
      for (const status of [301, 302, 307, 308]) {
        await using other = await startServer(stream(wire.say(greeting)));
        const location = `${other.url}/login?next=secret`;
        await using server = await startServer({ ...reply(status, ''), headers: { location } });
        const { last } = await readStep(wire.create(server.url), request());
        expect(last).toMatchObject({ type: 'error', failure: { kind: 'provider', recoverable: false } });
        expect(last.type === 'error' && last.failure.message).toContain(`redirects to ${other.url}/login;`);
        expect(other.requests).toHaveLength(0);
      }
    },
  );

  it.skipIf(wire.name === 'ai sdk')('says that a web page is no API', async () => {
    const page = '<!doctype html><html><head><title>Welcome &amp; try again</title></head></html>';
    const headers = { 'content-type': 'text/html; charset=utf-8' };
    await using server = await startServer(
      { headers, frames: [page] },
      { status: 502, headers, frames: [page] },
    );
    const { last } = await readStep(wire.create(server.url), request());
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'provider', recoverable: false } });
    expect(last.type === 'error' && last.failure.message).toMatch(
      new RegExp(`^${server.url}/.*web page.*Welcome.*that is no API. Check the base URL`),
    );
    const down = await readStep(wire.create(server.url), request());
    expect(down.last).toMatchObject({
      type: 'error',
      failure: { kind: 'provider', recoverable: true, status: 502 },
    });
    expect(down.last.type === 'error' && down.last.failure.message).not.toContain('<');
  });

  it('names why there is no connection', async () => {
    const failureOf = async (url: string) => {
      const { last } = await readStep(wire.create(url), request());
      return last.type === 'error' ? last.failure : undefined;
    };
    const { url } = await closedServer();
    expect(await failureOf(url)).toMatchObject({
      recoverable: true,
      message: expect.stringMatching(/ECONNREFUSED/),
    });
    expect(await failureOf('http://nosuch.invalid')).toMatchObject({
      message: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
    });
  });

  function resultsFor(ids: readonly string[]): readonly unknown[] {
    const parts = ids.map(
      (callId) =>
        ({
          type: 'result',
          callId,
          name: 'read',
          content: [{ type: 'text', text: 'content' }],
          isError: false,
        }) as const,
    );
    return codec().compose({ role: 'tool', parts, kind: 'converted' }).messages;
  }
});

/** The event-stream parser of the AI SDK sees no events in JSON: all that can be told is that the answer is not whole. */
function expectedOfJson(name: string): string {
  return name === 'ai sdk' ? 'provider' : 'overflow';
}

/** An address at which nothing listens any more. */
async function closedServer(): Promise<{ readonly url: string }> {
  await using server = await startServer();
  return { url: server.url };
}
