import { gunzipSync } from 'node:zlib';
import http from 'node:http';
import {
  failures,
  serverKinds,
  type Failure,
  type FailureName,
  type ServerName,
  type StrictUpstream,
} from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import {
  openUpstream,
  speakers,
  waysToSpeak,
  type Said,
  type SpeakerName,
  type Way,
} from './open-upstream.ts';

const calls = [{ name: 'read', input: { path: 'a.txt' } }];
const answer = { text: 'one two three four five six', calls };
const script = (): typeof answer => answer;

/** What only looks otherwise: the client hears the same. */
const harmless: readonly FailureName[] = [
  'byte by byte',
  'events in one packet',
  'line ends of two characters',
  'line ends of a carriage return',
  'comment pings',
  'zero usage at the start',
  'whole arguments',
  'calls from index 3',
  'gzip',
  'early head',
];

const paths = ['chat', 'messages', 'responses'] as const;

describe.each(waysToSpeak)('a failure of %s, %s', (name, way) => {
  it.each(harmless)('that only looks otherwise changes nothing for the client: %s', async (failure) => {
    const opened = await openUpstream({ answer: script, failures: [undefined, failure] });
    const usual = await speakers[name].say(opened, 'hello', way);
    const saying = speakers[name].say(opened, 'hello', way);
    // OpenAI’s client cannot bear the empty places.
    if (failure === 'calls from index 3' && name === 'chat' && way === 'streamed') {
      await expect(saying).rejects.toThrow("reading 'id'");
      return;
    }
    const other = await saying;
    expect({ ...other, calls: heardCalls(other), cached: 0 }).toEqual({
      ...usual,
      calls: heardCalls(usual),
      cached: 0,
    });
    expect(heardCalls(other)).toEqual(calls);
  });

  it.each(['reset before the head', 'reset in mid-answer'] as const)(
    'breaks the connection: %s',
    async (failure) => {
      const opened = await openUpstream({ answer: script, failures: [failure] });
      await expect(speakers[name].say(opened, 'hello', way)).rejects.toThrow();
      expect(opened.upstream.requests[0]).toMatchObject({ wasAborted: false });
    },
  );

  it.each(Object.keys(serverKinds) as ServerName[])(
    'tells an overflow in the words of %s',
    async (server) => {
      const opened = await openUpstream({ windowTokens: 50, server, countsMaxTokens: false });
      const saying = speakers[name].say(opened, `${'word '.repeat(100)}`, way);
      if (server === 'ollama') {
        expect((await saying).input).toBeLessThan(50);
        return;
      }
      // The client for Responses hands a failed response on as one.
      if (server === 'openai-in-stream' && name === 'responses' && way === 'streamed')
        expect((await saying).finish).toBe('failed');
      else await expect(saying).rejects.toThrow();
      expect(opened.upstream.faults).toEqual([]);
    },
  );
});

function heardCalls({ calls: all }: Said): readonly object[] {
  return all.map(({ name, input }) => ({ name, input }));
}

interface Heard {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly packets: readonly Buffer[];
  readonly text: string;
  /** The answer ended as it should, by its own framing. */
  readonly isComplete: boolean;
}

/** Asks without any client's help, and keeps the packets. */
function hear(upstream: StrictUpstream, name: SpeakerName, way: Way, signal?: AbortSignal): Promise<Heard> {
  const body = JSON.stringify({
    model: 'm',
    max_tokens: 1000,
    stream: way === 'streamed',
    ...(name === 'responses' ? { input: 'hello' } : { messages: [{ role: 'user', content: 'hello' }] }),
  });
  return new Promise((resolve, reject) => {
    const request = http.request(
      `${upstream.url}${speakers[name].path}`,
      { method: 'POST', headers: { 'anthropic-version': '2023-06-01' }, signal, agent: false },
      (response) => {
        const packets: Buffer[] = [];
        response.on('data', (packet: Buffer) => packets.push(packet));
        response.on('error', () => {});
        response.on('close', () => {
          const all = Buffer.concat(packets);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            packets,
            text: response.headers['content-encoding'] === 'gzip' ? gunzipSync(all).toString() : String(all),
            isComplete: response.complete,
          });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

async function heard(
  failure: FailureName | Failure,
  name: SpeakerName,
  way: Way = 'streamed',
): Promise<Heard> {
  const { upstream } = await openUpstream({ answer: script, failures: [failure], windowTokens: 9000 });
  return await hear(upstream, name, way);
}

describe.each(paths)('the bytes of a stream of %s', (name) => {
  it('are the same events, however they are sent', async () => {
    const plain = (await heard({}, name)).text;
    const events = plain.split('\n\n').length - 1;
    expect(events).toBeGreaterThan(6);
    expect((await heard('byte by byte', name)).text).toBe(plain);
    expect((await heard('events in one packet', name)).packets).toHaveLength(1);
    expect((await heard('line ends of two characters', name)).text).toBe(plain.replaceAll('\n', '\r\n'));
    expect((await heard('line ends of a carriage return', name)).text).toBe(plain.replaceAll('\n', '\r'));
    expect((await heard('comment pings', name)).text.replaceAll(': ping\n\n', '')).toBe(plain);
    expect((await heard('comment pings', name)).text).not.toBe(plain);
    const zipped = await heard('gzip', name);
    expect(zipped).toMatchObject({ text: plain, headers: { 'content-encoding': 'gzip' } });
  });

  it('end early, in good order or not', async () => {
    const plain = (await heard({}, name)).text;
    for (const [failure, isComplete] of [
      ['end in mid-answer', true],
      ['reset in mid-answer', false],
    ] as const) {
      const early = await heard(failure, name);
      expect(early).toMatchObject({ status: 200, isComplete });
      expect(plain.startsWith(early.text)).toBe(true);
      expect(early.text.length).toBeLessThan(plain.length);
    }
    const last = { chat: 'data: [DONE]\n\n', messages: 'message_stop', responses: 'response.completed' }[
      name
    ];
    expect(plain).toContain(last);
    const endless = await heard('no end mark', name);
    expect(endless.isComplete).toBe(true);
    expect(endless.text).not.toContain(last);
  });

  it('carry an error in their middle', async () => {
    const { text, status } = await heard('error in mid-answer', name);
    expect(status).toBe(200);
    expect(text.trimEnd().split('\n').at(-1)).toContain('Overloaded');
  });

  it('hold nothing where the answer is empty', async () => {
    const empty = await heard('empty answer', name);
    expect(empty).toMatchObject({ status: 200, isComplete: true });
    expect(empty.text).not.toContain('one');
    expect((await heard('stream without events', name)).text).toBe('');
  });

  it('carry arguments whole', async () => {
    const { text } = await heard('whole arguments', name);
    expect(text).toContain(JSON.stringify(JSON.stringify(calls[0]?.input)));
    expect(text).not.toContain('function_call_arguments.delta');
  });
});

describe('the bytes of a stream', () => {
  it('of Messages start with no usage, and end with the truth', async () => {
    const { text } = await heard('zero usage at the start', 'messages');
    const usages = [...text.matchAll(/"input_tokens":(\d+)/g)].map(([, tokens]) => Number(tokens));
    expect(usages).toEqual([0, 9]);
  });

  it('of chat number calls from where they were told to', async () => {
    const { text } = await heard('calls from index 3', 'chat');
    expect(new Set([...text.matchAll(/"tool_calls":\[\{"index":(\d+)/g)].map(([, at]) => at))).toEqual(
      new Set(['3']),
    );
  });
});

describe.each(paths)('an answer of %s', (name) => {
  it.each([
    ['rate limit', 429, '1'],
    ['too large for its minute', 413, undefined],
    ['server error', 500, undefined],
    ['overloaded', 529, '2'],
    ['page of a gateway', 502, undefined],
  ] as const)('is a refusal: %s', async (failure, status, after) => {
    for (const way of ['whole', 'streamed'] as const) {
      const refused = await heard(failure, name, way);
      expect(refused.status).toBe(status);
      expect(refused.headers['retry-after']).toBe(after);
    }
  });

  it.each(['stall', 'stall before the head'] as const)(
    'waits until its caller closes the connection: %s',
    async (failure) => {
      const { upstream } = await openUpstream({ answer: script, failures: [failure] });
      const gone = new AbortController();
      const hearing = hear(upstream, name, 'streamed', gone.signal).catch(() => 'gone');
      const request = await upstream.request(0);
      expect(request.wasAborted).toBe(false);
      gone.abort();
      await request.ended;
      expect(request.wasAborted).toBe(true);
      await hearing;
    },
  );

  it('goes on when what it waits for has happened', async () => {
    for (const packets of [0, 2]) {
      const until = Promise.withResolvers<void>();
      const { upstream } = await openUpstream({
        answer: script,
        failures: [{ waitAfter: { packets, until: until.promise } }],
      });
      const hearing = hear(upstream, name, 'streamed');
      await upstream.request(0);
      until.resolve();
      expect(await hearing).toMatchObject({ status: 200, isComplete: true });
    }
  });
});

describe('overflow in a stream', () => {
  it('is an error event without an end at LM Studio', async () => {
    const { status, text } = await heard('overflow without an end', 'chat');
    expect(status).toBe(200);
    expect(text).toMatch(/^event: error\ndata: \{"error":\{"message":"The number of tokens to keep/);
    expect(text).not.toContain('[DONE]');
    expect((await heard('overflow without an end', 'chat', 'whole')).status).toBe(400);
  });

  it('is a failed response at OpenAI', async () => {
    const { status, text } = await heard('overflow in the stream', 'responses');
    expect(status).toBe(200);
    expect(text).toContain('event: response.failed');
    expect(text).toContain('"code":"context_length_exceeded"');
  });
});

describe('servers', () => {
  const many = Array.from({ length: 20 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `message ${at} ${'word '.repeat(20)}`,
  }));
  const messages = [{ role: 'system', content: 'be brief' }, ...many, { role: 'user', content: 'and now?' }];

  it('of Ollama’s kind drop the oldest messages, keep the system’s and the last, and report what is left', async () => {
    const { post, upstream } = await openUpstream({
      windowTokens: 220,
      server: 'ollama',
      answer: ({ messages: left, question }) => ({ text: `${left[0]?.role} ${left.length} ${question}` }),
    });
    const body = (await (await post('/v1/chat/completions', { model: 'm', messages })).json()) as {
      usage: { prompt_tokens: number };
      choices: { message: { content: string } }[];
    };
    const [request] = upstream.requests;
    expect(request?.promptTokens).toBeGreaterThan(600);
    expect(body.usage.prompt_tokens).toBeLessThan(220);
    expect(body.choices[0]?.message.content).toBe('system 7 and now?');
  });

  it('of Ollama’s kind report half of the window where the last message alone is too long', async () => {
    const { openai } = await openUpstream({ windowTokens: 200, server: 'ollama' });
    const long = [{ role: 'user' as const, content: 'word '.repeat(500) }];
    const completion = await openai.chat.completions.create({ model: 'm', messages: long });
    expect(completion.usage?.prompt_tokens).toBe(102);
  });

  it('of llama.cpp’s kind call a Responses answer that hit the wall complete', async () => {
    const opened = await openUpstream({ windowTokens: 60, server: 'llama.cpp' });
    const said = await speakers.responses.say(opened, 'answer with 500 tokens', 'streamed');
    expect(said).toMatchObject({ finish: 'completed' });
    expect(said.input + said.output).toBe(60);
  });

  it('of vLLM’s kind count what is asked for, and stop counting behind the limit', async () => {
    const { post } = await openUpstream({ windowTokens: 300, server: 'vllm' });
    const body = { model: 'm', messages: [{ role: 'user', content: 'hello' }] };
    expect((await post('/v1/chat/completions', { ...body, max_tokens: 100 })).status).toBe(200);
    const refused = await post('/v1/chat/completions', { ...body, max_tokens: 295 });
    expect(await refused.json()).toMatchObject({ error: { param: 'input_tokens', code: 400 } });
    const long = await post('/v1/chat/completions', { model: 'm', messages, max_tokens: 100 });
    expect(await long.text()).toContain('You passed 201 input tokens and requested 100 output tokens');
  });

  it('of Anthropic’s kind count max_tokens where they were told to', async () => {
    const { anthropic } = await openUpstream({ windowTokens: 300, countsMaxTokens: true });
    const body = { model: 'm', messages: [{ role: 'user' as const, content: 'hello' }] };
    await anthropic.messages.create({ ...body, max_tokens: 200 });
    await expect(anthropic.messages.create({ ...body, max_tokens: 300 })).rejects.toThrow(
      'exceed context limit: 9 + 300 > 300',
    );
  });
});

describe('the list of failures', () => {
  it('is taken in the order of requests for answers, or chosen by the request', async () => {
    const inOrder = await openUpstream({ failures: [undefined, 'overloaded'] });
    const statuses = [];
    for (const opened of [
      inOrder,
      await openUpstream({ failures: ({ index }) => (index === 1 ? 'overloaded' : undefined) }),
    ]) {
      for (let turn = 0; turn < 3; turn += 1)
        statuses.push((await hear(opened.upstream, 'chat', 'whole')).status);
    }
    expect(statuses).toEqual([200, 529, 200, 200, 529, 200]);
  });

  it('has each of its names in a test here', () => {
    const source = [...harmless, ...namedAbove];
    expect(Object.keys(failures).filter((name) => !source.includes(name as FailureName))).toEqual([]);
  });
});

const namedAbove: readonly FailureName[] = [
  'overflow',
  'overflow in the stream',
  'overflow without an end',
  'rate limit',
  'too large for its minute',
  'server error',
  'overloaded',
  'page of a gateway',
  'error in mid-answer',
  'empty answer',
  'stream without events',
  'reset before the head',
  'reset in mid-answer',
  'end in mid-answer',
  'stall',
  'stall before the head',
  'no end mark',
];
