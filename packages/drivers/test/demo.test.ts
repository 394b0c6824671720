import { anthropicCodec, openaiChatCodec, openaiResponsesCodec, aiSdkCodec } from '@throughline/core';
import type { Codec } from '@throughline/core';
import { createDemoDriver, createSummariser } from '@throughline/drivers';
import type { DriverLimits, ModelDriver, StepRequest } from '@throughline/ports';
import { findWireFaults } from '@throughline/testkit';
import type { JudgedFormat } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { scriptedModelDriver } from '@throughline/testkit';
import { readStep } from './read-step.ts';
import { scriptedTimer } from './scripted-timer.ts';

const names = ['read', 'write', 'edit', 'grep', 'glob', 'bash', 'todo'];
const tools = names.map((name) => ({ name, description: name, inputSchema: { type: 'object' } }));
const codecs: readonly (readonly [JudgedFormat, Codec])[] = [
  ['anthropic', anthropicCodec],
  ['openai-chat', openaiChatCodec],
  ['openai-responses', openaiResponsesCodec],
  ['ai-sdk', aiSdkCodec],
];
const timer = scriptedTimer();

function say(text: string, codec: Codec = anthropicCodec): StepRequest {
  const { messages } = codec.compose({ role: 'user', parts: [{ type: 'text', text }], kind: 'converted' });
  return { system: 'You are an agent.', messages, tools };
}

describe('the demo model', () => {
  it.each(codecs)('lists files in %s, and tells what came of it', async (format, codec) => {
    const driver = createDemoDriver({ timer, wordDelayMs: 0, codec });
    const asked = say('Please list the files', codec);
    const first = await readStep(driver, asked);
    expect(first.calls).toMatchObject([{ name: 'glob', input: { pattern: '**/*' } }]);
    expect(first.last).toMatchObject({ type: 'end', finish: 'tool-calls' });
    const callId = first.calls[0]?.callId ?? '';
    const content = [{ type: 'text', text: 'a.ts\nb.ts' }] as const;
    const result = { type: 'result', callId, name: 'glob', content, isError: false } as const;
    const results = codec.compose({ role: 'tool', parts: [result], kind: 'converted' }).messages;
    const messages = [...asked.messages, ...first.last.messages, ...results];
    expect(findWireFaults(format, messages)).toEqual([]);
    const second = await readStep(driver, { ...asked, messages });
    expect(second.text).toContain('(demo) `glob` answered with 2 lines');
    expect(second.text).toContain('a.ts');
    expect(second.last).toMatchObject({ type: 'end', finish: 'stop' });
  });

  it.each([
    ['read README.md', 'read', { path: 'README.md' }],
    ['run `ls -la`', 'bash', { command: 'ls -la' }],
    ['search for a.b', 'grep', { pattern: 'a\\.b' }],
    ['write "hello" to notes/hello.txt', 'write', { path: 'notes/hello.txt', content: 'hello\n' }],
    ['make a plan', 'todo', expect.objectContaining({ todos: expect.any(Array) as unknown })],
  ])('understands "%s"', async (text, name, input) => {
    const { calls } = await readStep(createDemoDriver({ timer, wordDelayMs: 0 }), say(text));
    expect(calls).toMatchObject([{ name, input }]);
  });

  it('says what it is, and calls nothing that it was not offered', async () => {
    const driver = createDemoDriver({ timer, wordDelayMs: 0 });
    expect((await readStep(driver, say('Hello'))).text).toContain('demo model');
    const { text, calls, last } = await readStep(driver, { ...say('list files'), tools: [] });
    expect(calls).toEqual([]);
    expect(text).toContain('was not offered');
    expect(last).toMatchObject({ finish: 'stop' });
  });

  it('works for many steps, and goes on where it was when older steps are gone', async () => {
    const driver = createDemoDriver({ timer, wordDelayMs: 0 });
    const asked = say('work for 3 steps');
    const told: string[] = [];
    let messages = asked.messages;
    for (let step = 0; step < 4; step += 1) {
      const { text, calls, last } = await readStep(driver, { ...asked, messages });
      told.push(text.slice(0, 11));
      const results = calls.map(({ callId }) => ({
        type: 'tool_result',
        tool_use_id: callId,
        content: 'line\n'.repeat(300),
      }));
      const note = [{ role: 'user', content: '[The work goes on below.]' }];
      messages = [...asked.messages, ...note, ...last.messages, { role: 'user', content: results }];
    }
    expect(told).toEqual(['Step 1 of 3', 'Step 2 of 3', 'Step 3 of 3', '(demo) `gre']);
  });

  it('fills a window also where there is nothing to read', async () => {
    const driver = createDemoDriver({ timer, wordDelayMs: 0 });
    const asked = say('work for 30 steps');
    const first = await readStep(driver, asked);
    const results = (content: string) =>
      first.calls.map(({ callId }) => ({ type: 'tool_result', tool_use_id: callId, content }));
    const behind = (content: string) =>
      readStep(driver, {
        ...asked,
        messages: [...asked.messages, ...first.last.messages, { role: 'user', content: results(content) }],
      });
    const [bare, full] = await Promise.all([behind('No matches.'), behind('a match '.repeat(500))]);
    expect([bare.calls[0]?.name, full.calls[0]?.name]).toEqual(['todo', 'grep']);
    expect(JSON.stringify(bare.calls).length).toBeGreaterThan(4_000);
    expect(bare.text).toMatch(/^Step 2 of 30/);
  });

  it('answers the same to the same', async () => {
    const [one, two] = await Promise.all(
      [1, 2].map(() => readStep(createDemoDriver({ timer, wordDelayMs: 0 }), say('explore'))),
    );
    expect(one?.events).toEqual(two?.events);
    expect(one?.calls).toHaveLength(2);
  });

  it('streams word by word with a pause between', async () => {
    const slow = scriptedTimer(...Array.from({ length: 600 }, () => 'elapsed' as const));
    const { events } = await readStep(createDemoDriver({ timer: slow }), say('tell me 500 words'));
    expect(events.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(400);
    expect(new Set(slow.waits)).toEqual(new Set([15]));
  });

  it('counts what it was sent, and overflows like any other', async () => {
    const driver = createDemoDriver({ timer, wordDelayMs: 0, windowTokens: 1_000 });
    const small = await readStep(driver, say('Hello'));
    const large = await readStep(driver, say(`Hello ${'word '.repeat(300)}`));
    const tokens = [small, large].map(({ last }) =>
      last.type === 'end' ? (last.usage?.inputTokens ?? 0) : 0,
    );
    expect((tokens[1] ?? 0) - (tokens[0] ?? 0)).toBeGreaterThan(250);
    const { last } = await readStep(driver, say('word '.repeat(2_000)));
    expect(last).toMatchObject({
      type: 'error',
      failure: { kind: 'overflow', limitTokens: 1_000, recoverable: true },
    });
  });

  it('stops at the end of its window', async () => {
    const driver = createDemoDriver({ timer, wordDelayMs: 0, windowTokens: 500 });
    const { last } = await readStep(driver, say('tell me 5000 words'));
    expect(last).toMatchObject({ type: 'end', finish: 'length' });
    expect(last.type === 'end' && last.usage && last.usage.totalTokens).toBeLessThanOrEqual(500);
  });

  it('ends at once when it is cancelled while it speaks', async () => {
    const abort = new AbortController();
    const driver = createDemoDriver({ timer: scriptedTimer('elapsed', 'elapsed') });
    const step = readStep(driver, say('Hello'), abort.signal);
    setImmediate(() => abort.abort());
    expect((await step).last).toMatchObject({ failure: { kind: 'cancelled' } });
  });

  it('plays a script, and fails each time that it is asked once too often', async () => {
    const script = [{ text: 'One' }, { failure: { status: 503, message: 'down' } }];
    const driver = createDemoDriver({ timer, wordDelayMs: 0, script });
    expect((await readStep(driver, say('x'))).text).toBe('One');
    expect((await readStep(driver, say('x'))).last).toMatchObject({
      failure: { kind: 'provider', status: 503 },
    });
    for (const _ of [1, 2]) {
      const { last } = await readStep(driver, say('x'));
      expect(last).toMatchObject({ type: 'error', failure: { kind: 'provider', recoverable: false } });
      expect(last).toHaveProperty('failure.message', 'The script has 2 steps and was asked for one more');
    }
  });
});

describe('createSummariser', () => {
  const asked = {
    purpose: 'summary',
    system: 'Summarise.',
    messages: [{ role: 'user', content: 'What was done' }],
    maxOutputTokens: 500,
    temperature: 0.3,
  } as const;

  it('answers what the engine asks for', async () => {
    const driver = createDemoDriver({ timer, wordDelayMs: 0, script: [{ reasoning: 'Hm', text: 'Done.' }] });
    expect(await createSummariser(driver).complete(asked, {})).toMatchObject({
      type: 'text',
      text: 'Done.',
      finish: 'stop',
      usage: { outputTokens: expect.any(Number) as unknown },
    });
  });

  it('leaves room for reasoning, as far as the window and the model have it', async () => {
    const roomIn = async (limits?: DriverLimits): Promise<number | undefined> => {
      const driver = createDemoDriver({ timer, wordDelayMs: 0, script: [{ text: 'Done.' }] });
      let room: number | undefined;
      const { limits: _, ...bare } = driver;
      const seeing: ModelDriver = {
        ...bare,
        ...(limits && { limits }),
        stream: (request, call) => {
          room = request.maxOutputTokens;
          return driver.stream(request, call);
        },
      };
      await createSummariser(seeing).complete(asked, {});
      return room;
    };
    expect(await roomIn()).toBe(4_500);
    expect(await roomIn({ windowTokens: 200_000, maxOutputTokens: 64_000 })).toBe(4_500);
    expect(await roomIn({ windowTokens: 4_096 })).toBe(1_524);
    expect(await roomIn({ windowTokens: 16_000, maxOutputTokens: 2_000 })).toBe(2_000);
  });

  it('leaves less room where an error names a smaller window', async () => {
    const message = "This model's maximum context length is 4096 tokens. However, you requested 5500 tokens";
    const script = [{ failure: { status: 400, message } }, { text: 'Done.' }, { text: 'Again.' }];
    const driver = createDemoDriver({ timer, wordDelayMs: 0, script });
    const rooms: unknown[] = [];
    const { limits: _, ...bare } = driver;
    const summariser = createSummariser({
      ...bare,
      stream: (request, call) => {
        rooms.push(request.maxOutputTokens);
        return driver.stream(request, call);
      },
    });
    expect(await summariser.complete(asked, {})).toMatchObject({ text: 'Done.' });
    expect(await summariser.complete(asked, {})).toMatchObject({ text: 'Again.' });
    expect(rooms).toEqual([4_500, 1_524, 1_524]);
  });

  it('takes an answer that calls for no summary, whatever the server says of its end', async () => {
    const calls = [{ callId: 'a', name: 'glob', input: {} }];
    const driver = scriptedModelDriver([{ text: 'I look.', calls, finish: 'stop' }]);
    expect(await createSummariser(driver).complete(asked, {})).toMatchObject({ finish: 'tool-calls' });
  });

  it('takes the limit of a rate for no window', async () => {
    const driver = scriptedModelDriver([{ failure: { kind: 'rate', limitTokens: 9 } }]);
    const answer = await createSummariser(driver).complete(asked, {});
    expect(answer).toMatchObject({ type: 'failed', cause: 'unavailable' });
    expect(answer).not.toHaveProperty('limitTokens');
  });

  it('tells calls and failures as the engine knows them', async () => {
    const call = { name: 'glob', input: {} };
    const failure = { status: 400, message: 'prompt is too long: 9 tokens > 8 maximum' };
    const script = [{ calls: [call] }, { failure }, { failure: { status: 401, message: 'no' } }];
    const summariser = createSummariser(createDemoDriver({ timer, wordDelayMs: 0, script }));
    expect(await summariser.complete(asked, {})).toMatchObject({ finish: 'tool-calls' });
    expect(await summariser.complete(asked, {})).toMatchObject({ cause: 'overflow', limitTokens: 8 });
    expect(await summariser.complete(asked, {})).toMatchObject({ cause: 'unavailable' });
    const signal = AbortSignal.abort();
    const fresh = createSummariser(createDemoDriver({ timer, wordDelayMs: 0 }));
    expect(await fresh.complete(asked, { signal })).toMatchObject({ cause: 'cancelled' });
  });
});
