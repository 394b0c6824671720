import { captureCli, chatSession, temporaryFolder, writeInto } from './support.ts';
import { createServer } from 'node:http';
import { compact } from '../src/commands/compact.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { realComposition } from '../src/composition/real-composition.ts';
import type { AddressInfo } from 'node:net';
import type { Compaction } from '../src/compact/compaction.ts';
import type { CompactOptions } from '../src/commands/compact.ts';
import type { Cli } from '../src/composition/cli.ts';
import type { Composition } from '../src/composition/composition.ts';
import type { RetryPolicy } from '@throughline/ports';
import type { IncomingMessage, ServerResponse } from 'node:http';

interface Asked {
  readonly authorization: string | undefined;
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  };
}

type Reply = (response: ServerResponse, asked: Asked) => void;

const prose = `## Completed Work
| File/Component | Action | Description |
|---|---|---|
| src/parser/tokenize.ts | read | the loop ends one token early |

## Key Technical Decisions
- Fix the loop bound in src/parser/tokenize.ts instead of padding the input.

## Current State
- **Working on**: adding test/tokenize.test.ts
- **Last completed**: reading all parts of the parser

## Pending Work
- [ ] add the test for the last token`;

const usage = { prompt_tokens: 1_234, completion_tokens: 321, total_tokens: 1_555 };

/** An answer as it is streamed: these deltas, and what ends it. */
const streamed =
  (...deltas: readonly object[]): Reply =>
  (response) => {
    begin(response, ...deltas);
    const choices = [{ index: 0, delta: {}, finish_reason: 'stop' }];
    response.end(`data: ${JSON.stringify({ choices, usage })}\n\ndata: [DONE]\n\n`);
  };

function begin(response: ServerResponse, ...deltas: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const delta of deltas) write(response, delta);
}

function write(response: ServerResponse, delta: object): void {
  response.write(`data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta }] })}\n\n`);
}

const completion = (content: string): Reply => streamed({ role: 'assistant', content });

/** The same from a server that does not stream. */
const wholeCompletion =
  (content: string): Reply =>
  (response) => {
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'c', object: 'chat.completion', choices, usage }));
  };

const refusal =
  (status: number, message: string, code?: string, headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', code } }));
  };

/** A server that answers as the script says, and with 500 once it is at its end. */
async function fakeServer(
  script: readonly Reply[],
): Promise<{ readonly baseUrl: string; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const body = JSON.parse(text) as Asked['body'];
      const one: Asked = { authorization: request.headers.authorization, body };
      asked.push(one);
      const reply = script[asked.length - 1] ?? refusal(500, 'the script of the fake server is at its end');
      reply(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

/** The real drivers, as patient as is told. */
const asking = (
  retry: RetryPolicy,
  createDriverFrom: Composition['createDriverFrom'] = realComposition.createDriverFrom,
): Partial<Cli> => ({
  compose: () =>
    Promise.resolve({
      ...realComposition,
      createDriverFrom: (model, options = {}) =>
        createDriverFrom(model, { ...options, retry: { ...options.retry, ...retry } }),
    }),
});
const drivers = asking({ attempts: 1 });

async function compactWith(
  baseUrl: string,
  options: CompactOptions = {},
  overrides: Partial<Cli> = {},
): Promise<Compaction> {
  const path = writeInto(temporaryFolder(), 's.json', chatSession(60));
  const cli = captureCli({ ...drivers, ...overrides });
  const code = await compact(
    path,
    { window: 16_000, model: 'local-model', baseUrl, json: true, ...options },
    cli,
  );
  expect([code, cli.stderr()]).toEqual([0, '']);
  return JSON.parse(cli.stdout()) as Compaction;
}

describe('a model that writes the summary', () => {
  it('is asked over HTTP, and its prose stands in the summary', async () => {
    const { baseUrl, asked } = await fakeServer(Array.from({ length: 8 }, () => completion(prose)));
    const result = await compactWith(baseUrl);
    expect(result.summary).toMatchObject({ by: 'model' });
    expect(result.summary?.text).toContain('Fix the loop bound');
    expect(result.summariser).toMatchObject({ model: 'local-model', calls: asked.length });
    expect(result.summariser.inputTokens).toBe(1_234 * asked.length);
    expect(result.summariser.explanation).toContain('local-model wrote the summary');
    expect(asked[0]?.body.model).toBe('local-model');
  });

  it('is understood, too, where its server does not stream', async () => {
    const { baseUrl, asked } = await fakeServer(Array.from({ length: 8 }, () => wholeCompletion(prose)));
    const { summary, summariser } = await compactWith(baseUrl);
    expect(summary).toMatchObject({ by: 'model' });
    expect(summariser).toMatchObject({ inputTokens: 1_234 * asked.length, outputTokens: 321 * asked.length });
  });

  it('is waited for as long as its server asks, and asked again', async () => {
    const { baseUrl, asked } = await fakeServer([
      refusal(429, 'slow down', 'rate_limit_exceeded', { 'retry-after': '0.01' }),
      ...Array.from({ length: 8 }, () => completion(prose)),
    ]);
    // Our own wait would last longer than the test may.
    const own: RetryPolicy = { firstDelayMs: 600_000, maxDelayMs: 600_000 };
    const { summary, summariser } = await compactWith(baseUrl, {}, asking(own));
    expect(summary).toMatchObject({ by: 'model' });
    expect(summariser.calls).toBe(asked.length - 1);
  });

  it('is told what to pay attention to', async () => {
    const { baseUrl, asked } = await fakeServer(Array.from({ length: 8 }, () => completion(prose)));
    await compactWith(baseUrl, { focus: 'the loop bound of the tokenizer' });
    expect(JSON.stringify(asked[0]?.body.messages)).toContain('the loop bound of the tokenizer');
  });

  it('gets our key from the environment, and never the one of OpenAI: it is not OpenAI', async () => {
    const { baseUrl, asked } = await fakeServer(Array.from({ length: 24 }, () => completion(prose)));
    await compactWith(baseUrl, {}, { env: { OPENAI_API_KEY: 'usual' } });
    const first = asked.length;
    await compactWith(baseUrl, {}, { env: { OPENAI_API_KEY: 'usual', THROUGHLINE_API_KEY: 'ours' } });
    expect(asked[0]?.authorization ?? '').not.toContain('usual');
    expect(asked[first]?.authorization).toBe('Bearer ours');
  });

  it.each([
    ['https://api.openai.com/v1', 'usual'],
    ['http://api.openai.com/v1', undefined],
    ['https://api.openai.com.example.org/v1', undefined],
    ['http://localhost:1234/v1', undefined],
  ])('at %s gets %j where only the key of OpenAI is set', async (baseUrl, apiKey) => {
    const { baseUrl: here } = await fakeServer([]);
    const made: unknown[] = [];
    const { compose } = asking({ attempts: 1 }, (model, options) => {
      if (model.provider === 'demo') throw new Error('a demo has no key');
      made.push(model.baseUrl, model.apiKey);
      return realComposition.createDriverFrom({ ...model, baseUrl: here }, options);
    });
    await compactWith(baseUrl, {}, { env: { OPENAI_API_KEY: 'usual' }, ...(compose && { compose }) });
    expect(made).toEqual([baseUrl, apiKey]);
  });
});

describe('a model that fails', () => {
  it.each([
    ['a server error', refusal(500, 'engine crashed'), 'could not be asked (500 engine crashed)'],
    [
      'a server error in plain text',
      (response: ServerResponse) => void response.writeHead(500).end('boom'),
      'could not be asked (500 boom)',
    ],
    ['an answer without text', completion(''), 'gave an empty answer twice'],
    ['an answer with nothing in it', streamed(), 'gave an empty answer twice'],
    ['thoughts without an answer', streamed({ reasoning_content: 'Hm.' }), 'gave an empty answer twice'],
    [
      'a stream that breaks off',
      (response: ServerResponse) => {
        begin(response, { content: 'The first' });
        setTimeout(() => response.destroy(), 20);
      },
      'could not be asked',
    ],
    [
      'a stream without an end',
      (response: ServerResponse) => {
        begin(response, { content: 'The first' });
        response.end();
      },
      'could not be asked',
    ],
    [
      'a key that is not taken',
      refusal(401, 'Incorrect API key'),
      'could not be asked (401 Incorrect API key)',
    ],
    [
      'an answer that is none',
      (response: ServerResponse) => void response.end('<html>'),
      'could not be asked',
    ],
    [
      'too long a prompt',
      refusal(400, "This model's maximum context length is 300 tokens.", 'context_length_exceeded'),
      'local-model',
    ],
  ])('leaves the summary to code after %s, and says why', async (_, reply, why) => {
    const { baseUrl } = await fakeServer(Array.from({ length: 20 }, () => reply));
    const { summary, summariser, outcome, percentOfUsable } = await compactWith(baseUrl);
    expect([outcome, summary?.by]).toEqual(['compacted', 'code']);
    expect(summariser.explanation).toContain('Code wrote the summary');
    expect(summariser.explanation).toContain(why);
    expect(percentOfUsable).toBeLessThanOrEqual(100);
  });

  it('names no key in what it says, also where the server repeats it', async () => {
    const key = 'sk-very-secret-1';
    const { baseUrl, asked } = await fakeServer(
      Array.from({ length: 20 }, () => refusal(401, `Incorrect API key provided: ${key}`)),
    );
    const { summariser } = await compactWith(baseUrl, {}, { env: { THROUGHLINE_API_KEY: key } });
    expect(asked[0]?.authorization).toBe(`Bearer ${key}`);
    expect(summariser.explanation).toContain('provided: [key]');
    expect(JSON.stringify(summariser)).not.toContain(key);
  });

  it('is tried three times where that may help, and once where it does not', async () => {
    const crashed = await fakeServer(Array.from({ length: 40 }, () => refusal(503, 'loading')));
    const { summariser } = await compactWith(crashed.baseUrl, {}, asking({ firstDelayMs: 1 }));
    expect(crashed.asked).toHaveLength(3 * summariser.calls);
    const refusing = await fakeServer(Array.from({ length: 40 }, () => refusal(401, 'no')));
    const { summariser: refused } = await compactWith(refusing.baseUrl, {}, asking({ firstDelayMs: 1 }));
    expect(refusing.asked).toHaveLength(refused.calls);
  });

  it('leaves it to code when nobody listens there', async () => {
    const { summariser } = await compactWith('http://127.0.0.1:9/v1');
    expect(summariser.explanation).toContain('could not be asked');
  });

  it('does not wait for a slow one longer than --timeout', async () => {
    const { baseUrl } = await fakeServer(Array.from({ length: 4 }, () => () => undefined));
    const { summary, summariser } = await compactWith(baseUrl, { timeout: 200 });
    expect(summary?.by).toBe('code');
    expect(summariser.explanation).toContain('did not answer in time');
  });

  it('does not wait longer for one that writes a little now and then', async () => {
    const dripping: Reply = (response) => {
      begin(response, { role: 'assistant' });
      const timer = setInterval(() => write(response, { content: 'a ' }), 50);
      response.on('close', () => clearInterval(timer));
    };
    const { baseUrl } = await fakeServer(Array.from({ length: 4 }, () => dripping));
    const { summary, summariser } = await compactWith(baseUrl, { timeout: 400 });
    expect(summary?.by).toBe('code');
    expect(summariser.explanation).toContain('did not answer in time');
  });

  it('writes nothing when the user interrupts', async () => {
    const interruption = new AbortController();
    const { baseUrl } = await fakeServer([() => interruption.abort()]);
    const path = writeInto(temporaryFolder(), 's.json', chatSession(60));
    const cli = captureCli({ ...drivers, watchInterrupts: () => interruption.signal });
    const out = `${path}.out`;
    expect(await compact(path, { window: 16_000, model: 'local-model', baseUrl, out }, cli)).toBe(130);
    expect(cli.stderr()).toContain('Interrupted; nothing was written.');
  });
});

/** Drops what it is asked about: every message, or only so many. */
const droppingAll =
  (most = Infinity): Reply =>
  (response, { body }) => {
    const prompt = body.messages.map(({ content }) => content).join('\n');
    const indexes = [...prompt.matchAll(/^<message index="(\d+)"/gm)].map(([, index]) => Number(index));
    const decisions = indexes.slice(0, most).map((index) => ({ index, action: 'drop' }));
    completion(`Sure:\n\`\`\`json\n${JSON.stringify(decisions)}\n\`\`\``)(response, {
      authorization: '',
      body,
    });
  };

describe('a model that judges the older messages', () => {
  const pruning: CompactOptions = { strategy: 'pruning-agent' };

  it('is asked over HTTP, and what it drops stands as a placeholder', async () => {
    const { baseUrl, asked } = await fakeServer([droppingAll()]);
    const result = await compactWith(baseUrl, { ...pruning, window: 64_000 });
    expect(result).toMatchObject({ outcome: 'compacted', strategy: 'pruning-agent', summary: null });
    expect(result.ladderSteps.map(({ ladderStep }) => ladderStep)).toEqual(['review']);
    expect(result.ladderSteps[0]?.what).toMatch(
      /^old messages judged by the model: \d+ dropped, 0 replaced$/,
    );
    expect(result.tokens.after).toBeLessThan(result.tokens.before * 0.6);
    expect(result.validity.violations).toEqual([]);
    expect([result.task, result.latestRequest]).toEqual(['verbatim', 'verbatim']);
    expect(result.summariser).toMatchObject({ calls: 1, inputTokens: 1_234, outputTokens: 321 });
    expect(result.summariser.explanation).toBe(
      'No summary was needed: local-model judged the older messages in 1 call.',
    );
    expect(asked).toHaveLength(1);
  });

  it('is asked for a summary too where dropping is not enough', async () => {
    const { baseUrl, asked } = await fakeServer([
      droppingAll(1),
      ...Array.from({ length: 8 }, () => completion(prose)),
    ]);
    const { ladderSteps, summary, summariser } = await compactWith(baseUrl, { ...pruning, window: 6_000 });
    expect(ladderSteps.map(({ ladderStep }) => ladderStep)).toContain('review');
    expect(summary).toMatchObject({ by: 'model' });
    expect(summariser.explanation).toBe(
      `local-model wrote the summary in ${asked.length} calls, the judgement included. Before that, local-model judged the older messages.`,
    );
  });

  it.each([
    ['an answer without decisions', completion('Drop the first two.'), 'could not be used (no-array)'],
    ['a server error', refusal(500, 'engine crashed'), 'could not be asked to judge the older messages'],
  ])('leaves it to the other ladder steps after %s, and says why', async (_, reply, why) => {
    const { baseUrl } = await fakeServer([
      reply,
      reply,
      ...Array.from({ length: 8 }, () => completion(prose)),
    ]);
    const { outcome, ladderSteps, summariser, percentOfUsable } = await compactWith(baseUrl, pruning);
    expect(outcome).toBe('compacted');
    expect(ladderSteps.map(({ ladderStep }) => ladderStep)).not.toContain('review');
    expect(summariser.explanation).toContain(why);
    expect(percentOfUsable).toBeLessThanOrEqual(100);
  });

  it('is not needed: without one the other ladder steps do it all', async () => {
    const path = writeInto(temporaryFolder(), 's.json', chatSession(60));
    const cli = captureCli();
    expect(await compact(path, { window: 16_000, json: true, ...pruning }, cli)).toBe(0);
    const { summary, ladderSteps } = JSON.parse(cli.stdout()) as Compaction;
    expect(ladderSteps.map(({ ladderStep }) => ladderStep)).not.toContain('review');
    expect(summary).toMatchObject({ by: 'code' });
  });
});
