import { completeText, createStrictUpstream, scriptedDriver } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import OpenAI from 'openai';
import { gunzipSync, gzipSync } from 'node:zlib';
import { startProxy } from './start-proxy.ts';
import { talk } from './askers.ts';
import type { Driver } from '@throughline/ports';

type Input = OpenAI.Responses.ResponseInputItem;

const filler = 'The account of the customer was moved to the other ledger because it was closed. '.repeat(12);
const windowTokens = 4_000;
const history: readonly Input[] = talk(30, (turn) => `Question ${turn}: why was it moved? ${filler}`)
  .slice(0, -1)
  .map(({ role, text }): Input => ({ role, content: text }));
// The SDK does not know it.
const trigger = { type: 'compaction_trigger' } as unknown as Input;

const clientOf = ({ url }: { readonly url: string }): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: 'k', maxRetries: 0 });

async function compactionIn(client: OpenAI, input: readonly Input[]): Promise<readonly string[]> {
  const stream = await client.responses.create({ model: 'm', input: [...input], stream: true });
  const tokens: string[] = [];
  const types: string[] = [];
  for await (const event of stream) {
    types.push(event.type);
    if (event.type === 'response.output_item.done' && event.item.type === 'compaction')
      tokens.push(event.item.encrypted_content);
  }
  expect(types).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.output_item.done',
    'response.completed',
  ]);
  return tokens;
}

describe('a trigger for a compaction', () => {
  it('is answered with exactly one item, streamed or not, the same each time, and goes nowhere', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const client = clientOf(proxy);
    const input = [...history, trigger];
    const [first, ...others] = await compactionIn(client, input);
    expect(first).toBeTypeOf('string');
    expect(others).toEqual([]);
    expect(await compactionIn(client, input)).toEqual([first]);
    const whole = await client.responses.create({ model: 'm', input });
    expect(whole.output).toMatchObject([{ type: 'compaction', encrypted_content: first }]);
    expect(whole.usage?.total_tokens).toBeGreaterThan(0);
    expect(whole.usage?.total_tokens).toBeLessThan(windowTokens);
    expect(Number.isInteger(whole.usage?.total_tokens)).toBe(true);
    expect(whole.status).toBe('completed');
    const finished = await client.responses.stream({ model: 'm', input }).finalResponse();
    expect(finished.output).toMatchObject([{ type: 'compaction', encrypted_content: first }]);
    await upstream.stop();
    expect(upstream.requests.filter(({ kind }) => kind === 'answer')).toEqual([]);
  });

  it('is refused where there is nothing in front of it', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const asked = clientOf(proxy).responses.create({ model: 'm', input: [trigger] });
    await expect(asked).rejects.toMatchObject({ status: 400 });
    await upstream.stop();
  });

  it('goes to an upstream that answers it, last and untouched', async () => {
    const upstream = await createStrictUpstream({ windowTokens: 100_000 });
    await using proxy = await startProxy(`${upstream.url}/v1`, { compaction: 'upstream' });
    const body = JSON.stringify({ model: 'm', input: [...history, trigger] });
    await fetch(`${proxy.url}/v1/responses`, { method: 'POST', body });
    await fetch(`${proxy.url}/v1/responses/compact`, { method: 'POST', body });
    await upstream.stop();
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/v1/responses', '/v1/responses/compact']);
    for (const { bytes } of upstream.requests) expect(bytes.toString()).toBe(body);
  });
});

describe('a request to compact a history', () => {
  it('is answered where no upstream has it', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const client = clientOf(proxy);
    const compacted = await client.responses.compact({ model: 'm', input: [...history] });
    const [token] = await compactionIn(client, [...history, trigger]);
    await upstream.stop();
    expect(compacted.object).toBe('response.compaction');
    expect(compacted.output).toMatchObject([{ type: 'compaction', encrypted_content: token }]);
    expect(upstream.requests).toEqual([]);
  });
});

describe('the item of a compaction', () => {
  it('is expanded when it comes back, on another machine, too', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using one = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const [token = ''] = await compactionIn(clientOf(one), [...history, trigger]);
    await using other = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const input: Input[] = [
      { type: 'compaction', encrypted_content: token },
      { role: 'user', content: 'What comes next?' },
    ];
    const answer = await clientOf(other).responses.create({ model: 'm', input });
    const counted = await clientOf(other).responses.inputTokens.count({ model: 'm', input });
    await upstream.stop();
    expect(upstream.faults).toEqual([]);
    expect(answer.output_text).toContain('What comes next?');
    const [sent] = upstream.requests;
    const messages = sent?.asked?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(['user', 'user']);
    expect(messages[0]?.text).toContain('Question 28');
    expect(messages[0]?.text).toContain('Question 0');
    expect(sent?.bytes.toString()).not.toContain('encrypted_content');
    expect(counted.input_tokens).toBe(sent?.promptTokens);
  });

  it.each(['identity', 'gzip', 'lzma'])(
    'is expanded where the context is left alone, too, and nothing else is touched (%s)',
    async (encoding) => {
      const upstream = await createStrictUpstream({ windowTokens: 100_000 });
      await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
      const [token = ''] = await compactionIn(clientOf(proxy), [...history, trigger]);
      const written = (item: string): string =>
        `{"model":"m", "seed":12345678901234567890,"input":[${item} {"role":"user","content":"h\\u0069"}]}`;
      const item = `{"type":"compaction","encrypted_content":"${token}"},`;
      const heads = { 'x-context': 'off', 'content-encoding': encoding };
      for (const text of [written(item), written('')]) {
        const body = encoding === 'gzip' ? gzipSync(text) : Buffer.from(text);
        const answer = await fetch(`${proxy.url}/v1/responses`, { method: 'POST', headers: heads, body });
        expect(answer.headers.get('x-context-action')).toBe('off');
      }
      await upstream.stop();
      const [expanded = '', plain = ''] = upstream.requests.map(({ bytes }) =>
        (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString(),
      );
      expect(plain).toBe(written(''));
      const [before, after] = written('|').split('|') as [string, string];
      expect(expanded.startsWith(before) && expanded.endsWith(after)).toBe(true);
      // What nobody here can decode goes through as it is.
      expect(expanded.includes('encrypted_content')).toBe(encoding === 'lzma');
      expect(expanded.includes('"role":"user","content":[{"type":"input_text"')).toBe(encoding !== 'lzma');
    },
  );

  it('is one with the rest of the conversation: what is compacted later begins with it', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const client = clientOf(proxy);
    const [token = ''] = await compactionIn(client, [...history, trigger]);
    const item: Input = { type: 'compaction', encrypted_content: token };
    const [second = ''] = await compactionIn(client, [item, ...history, trigger]);
    await upstream.stop();
    expect(second).not.toBe(token);
    const text = Buffer.from(second.split('.').at(-1) ?? '', 'base64url').toString();
    expect(text).toContain('Question 28');
    expect(text).not.toContain(token.slice(0, 80));
  });

  it('of another vendor is not touched, nor is one of ours that is not whole', async () => {
    const upstream = await createStrictUpstream({ windowTokens: 100_000 });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const [token = ''] = await compactionIn(clientOf(proxy), [...history, trigger]);
    for (const foreign of ['gAAAAABo', token.slice(0, -40)]) {
      const body = `{"model":"m", "input":[{"type":"compaction","encrypted_content":"${foreign}"},{"role":"user","content":"Go on."}]}`;
      await fetch(`${proxy.url}/v1/responses`, { method: 'POST', body });
      expect(upstream.requests.at(-1)?.bytes.toString()).toBe(body);
    }
    await upstream.stop();
  });

  it('holds the words of the model that writes summaries, which is asked once for all who ask', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    const driver = scriptedDriver(
      `## Completed Work\nRead all of it. ${'The account was moved. '.repeat(20)}`,
    );
    await using proxy = await startProxy(`${upstream.url}/v1`, {
      windowTokens: 20_000,
      services: { summariserFor: () => driver },
    });
    const client = clientOf(proxy);
    const input = [...history, trigger];
    const all = await Promise.all([compactionIn(client, input), compactionIn(client, input)]);
    await upstream.stop();
    expect(all[0]).toEqual(all[1]);
    const text = Buffer.from(all[0][0]?.split('.').at(-1) ?? '', 'base64url').toString();
    expect(text).toContain('Read all of it.');
    expect(driver.requests).toHaveLength(1);
  });

  it('is not written any more when the client has gone, and is when it asks again', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<AbortSignal | undefined>();
    let calls = 0;
    const driver: Driver = {
      name: 'slow at first',
      complete: async (_request, { signal }) => {
        calls += 1;
        if (calls > 1) return completeText(`## Completed Work\n${'The account was moved. '.repeat(20)}`);
        asked(signal);
        return await new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('gone')));
        });
      },
    };
    await using proxy = await startProxy(`${upstream.url}/v1`, {
      windowTokens: 20_000,
      services: { summariserFor: () => driver },
    });
    const controller = new AbortController();
    const body = JSON.stringify({ model: 'm', input: [...history, trigger], stream: true });
    const gone = fetch(`${proxy.url}/v1/responses`, { method: 'POST', body, signal: controller.signal });
    const signal = await isAsked;
    const ended = new Promise((resolve) => signal?.addEventListener('abort', resolve));
    controller.abort();
    await expect(gone).rejects.toThrow();
    await ended;
    const tokens = await compactionIn(clientOf(proxy), [...history, trigger]);
    await upstream.stop();
    expect(tokens).toHaveLength(1);
    expect(calls).toBe(2);
  });
});
