import { createStrictUpstream, numberedWords } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { rawCall } from './raw-call.ts';
import { askerOf, callOf, dialectNames, longTalk } from './questions.ts';
import { bytesOf, play } from './played-answers.ts';
import { startProxy } from './start-proxy.ts';
import type { AnswerScript } from '@throughline/testkit';
import type { DialectName } from '../src/stream/dialect-streams.ts';
import type { Said } from './askers.ts';
import type { StartOptions } from './start-proxy.ts';

const windowTokens = 4_000;

interface Continued {
  readonly dialect: DialectName;
  readonly more?: object;
  readonly messages?: readonly Said[];
  readonly answer?: AnswerScript;
  readonly start?: StartOptions;
  readonly failures?: Parameters<typeof createStrictUpstream>[0] extends infer Options
    ? Options extends { failures?: infer Failures }
      ? Failures
      : never
    : never;
}

const long = longTalk(8, 'Answer with 2400 tokens.');

/** A long answer behind a prompt of two thirds of the window: what the client gets, and what was asked for it. */
async function ask({ dialect, more, answer, start, failures, messages = long }: Continued): Promise<{
  readonly text: string;
  readonly calls: number;
  readonly last: string;
  readonly bodies: readonly string[];
}> {
  const upstream = await createStrictUpstream({
    windowTokens,
    ...(answer && { answer }),
    ...(failures && { failures }),
  });
  await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, ...start });
  const limit = dialect === 'responses' ? { max_output_tokens: 6_000 } : { max_tokens: 6_000 };
  const asked = callOf({ dialect, isStreamed: true, messages, more: { ...limit, ...more } });
  const { text } = await rawCall(proxy.url, asked);
  await upstream.stop();
  const bodies = upstream.requests.map(({ bytes }) => bytes.toString());
  return { text, calls: bodies.length, last: bodies.at(-1) ?? '', bodies };
}

const whole = numberedWords(2_400);
const structured: Readonly<Record<DialectName, object>> = {
  chat: { response_format: { type: 'json_object' } },
  messages: { output_config: { format: { type: 'json_schema', schema: {} } } },
  responses: { text: { format: { type: 'json_object' } } },
};
const tool: Readonly<Record<DialectName, object>> = {
  chat: { tools: [{ type: 'function', function: { name: 'write', parameters: { type: 'object' } } }] },
  messages: { tools: [{ name: 'write', input_schema: { type: 'object' } }] },
  responses: { tools: [{ type: 'function', name: 'write', parameters: { type: 'object' }, strict: false }] },
};

describe.each(dialectNames)('over %s, an answer that outgrows the window', (dialect) => {
  it('goes on in the same stream', async () => {
    const { text, calls } = await ask({ dialect });
    expect(calls).toBeGreaterThan(1);
    expect(text).toContain(/word\d+\.$/.exec(whole)?.[0]);
  });

  it.each([
    ['structured', { more: structured[dialect] }],
    [
      'arguments of a call',
      { more: tool[dialect], answer: () => ({ calls: [{ name: 'write', input: { text: whole } }] }) },
    ],
    [
      'text and then a call',
      {
        more: tool[dialect],
        answer: () => ({ text: 'I write.', calls: [{ name: 'write', input: { text: whole } }] }),
      },
    ],
    ['reasoning', { answer: () => ({ reasoning: whole, text: 'So.' }) }],
  ] as const)('and is %s runs to its end', async (_, given) => {
    const { calls, text } = await ask({ dialect, ...given });
    expect(calls).toBe(1);
    expect(text).not.toMatch(/"error":\{/);
  });

  it('is continued at most three times, and then ends for want of room', async () => {
    const script: AnswerScript = () => ({ text: numberedWords(30_000) });
    const { text, calls } = await ask({
      dialect,
      answer: script,
      more: dialect === 'responses' ? { max_output_tokens: 40_000 } : { max_tokens: 40_000 },
    });
    expect(calls).toBe(4);
    expect(text).toMatch(/"finish_reason":"length"|"stop_reason":"max_tokens"|"reason":"max_output_tokens"/);
    expect(text).not.toContain('model_context_window_exceeded');
    expect(text).toMatch(/\[DONE\]|message_stop|response\.incomplete/);
  });

  it.each([
    ['none', /^(?![^]*(?:Compacting|: context ))/],
    ['comment', /^: context .*tokens$/m],
    ['content', /Compacting conversation history/],
  ] as const)('tells of it as its route says: %s', async (notices, told) => {
    const { text, last } = await ask({ dialect, start: { notices } });
    expect(text).toMatch(told);
    // What we say is nothing that the model has said.
    expect(last).not.toContain('Compacting conversation');
  });

  it('tells that it ends for want of room as its route says', async () => {
    const script: AnswerScript = () => ({ text: numberedWords(30_000) });
    const more = dialect === 'responses' ? { max_output_tokens: 40_000 } : { max_tokens: 40_000 };
    const { text } = await ask({ dialect, answer: script, more, start: { notices: 'content' } });
    expect(text).toContain('The answer ends here');
  });

  it.each([
    ['refuses', { refusal: { status: 500, message: 'Internal server error' } }],
    ['breaks off at once', 'reset before the head'],
    ['breaks off later', { resetAfter: 4 }],
  ] as const)(
    'of an upstream that %s when asked to go on is never ended as if it were whole',
    async (_, failure) => {
      const { text } = await ask({ dialect, failures: [undefined, failure] });
      const isEnded = /\[DONE\]|message_stop|response\.completed/.test(text);
      // The end that the upstream has told itself is true; any other is an error.
      if (isEnded) expect(text).toMatch(/"length"|max_tokens|window_exceeded|incomplete/);
      else expect(text).toMatch(/"error"/);
    },
  );

  const limitOf = (tokens: number): object =>
    dialect === 'responses' ? { max_output_tokens: tokens } : { max_tokens: tokens };

  it('is none where the prompt and the limit of the answer fit', async () => {
    // Nine tenths of the window are full long before its end.
    const { text, calls } = await ask({
      dialect,
      messages: longTalk(3, 'Answer with 3100 tokens.'),
      more: limitOf(3_200),
    });
    expect(calls).toBe(1);
    expect(text).toContain(numberedWords(3_100).split(/[ \n]/).at(-1));
  });

  it('is asked for enough to say something, and for no more than fits behind what it has said', async () => {
    const { bodies } = await ask({ dialect });
    const limits = bodies.map((body) => Number(/"max_(?:output_)?tokens":(\d+)/.exec(body)?.[1]));
    expect(limits.length).toBeGreaterThan(1);
    // What the strict upstream counts is up to twice our estimate.
    for (const limit of limits) expect(limit).toBeGreaterThanOrEqual(256);
    for (const limit of limits.slice(1)) expect(limit).toBeLessThan(windowTokens / 2);
  });

  it('leaves its compaction to the next request', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const client = askerOf(dialect);
    const heard = await client(proxy.url, { messages: long, isStreamed: true, maxTokens: 6_000 });
    const calls = upstream.requests.length;
    const lines = proxy.lines.length;
    const next = [
      ...long,
      { role: 'assistant' as const, text: heard.text.slice(0, 400) },
      { role: 'user' as const, text: 'Thank you.' },
    ];
    await client(proxy.url, { messages: next, isStreamed: true, maxTokens: 300 });
    await upstream.stop();
    expect(calls).toBeGreaterThan(1);
    expect(upstream.requests).toHaveLength(calls + 1);
    expect(proxy.lines).toHaveLength(lines);
    expect(upstream.requests.at(-1)?.promptTokens).toBeLessThan(2_200);
  });
});

const limits = { chat: 'max_tokens', responses: 'max_output_tokens' } as const;

describe.each(['chat', 'responses'] as const)(
  'over %s, where the prompt is counted at the end, an answer',
  (dialect) => {
    it('ends with its length where too little of its limit is left to go on for', async () => {
      const { text, calls } = await ask({ dialect, more: { [limits[dialect]]: 2_000 } });
      expect(calls).toBe(1);
      expect(text).toMatch(/"finish_reason":"length"|"reason":"max_output_tokens"/);
    });
  },
);

describe('an answer that nobody limits', () => {
  it('is stopped before the window is full, and continued', async () => {
    const { calls, text } = await ask({ dialect: 'chat', more: { max_tokens: undefined } });
    expect(calls).toBeGreaterThan(1);
    expect(text).toContain(/word\d+\.$/.exec(whole)?.[0]);
  });

  it('ends with its length where what was continued of it was cut long before the window is full', async () => {
    const rest = {
      id: 'rest',
      parts: [{ type: 'text' as const, pieces: ['and so on'] }],
      finish: 'length' as const,
      inputTokens: 700,
      outputTokens: 300,
    };
    const body = Buffer.from(bytesOf(play('chat', rest))).toString();
    const raw = { status: 200, type: 'text/event-stream', body };
    const more = { max_tokens: undefined };
    const { calls, text } = await ask({ dialect: 'chat', more, failures: [undefined, { raw }] });
    expect(calls).toBe(2);
    expect(text).toContain('"finish_reason":"length"');
  });
});

describe('several alternatives', () => {
  it('run to their end', async () => {
    const { calls } = await ask({ dialect: 'chat', more: { n: 2 } });
    expect(calls).toBe(1);
  });
});
