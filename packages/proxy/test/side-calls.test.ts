import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { startProxy } from './start-proxy.ts';
import { startServer } from './start-server.ts';

const anthropic = (baseURL: string): Anthropic => new Anthropic({ baseURL, apiKey: 'k', maxRetries: 0 });
const openai = (base: string): OpenAI => new OpenAI({ baseURL: `${base}/v1`, apiKey: 'k', maxRetries: 0 });

const text = 'The account of the customer was moved to the other ledger.';

describe('a request for a count', () => {
  it('is passed on to an upstream that counts', async () => {
    const upstream = await createStrictUpstream({});
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const messages = [{ role: 'user' as const, content: text }];
    const counted = await anthropic(proxy.url).messages.countTokens({ model: 'm', messages });
    const input = await openai(proxy.url).responses.inputTokens.count({ model: 'm', input: text });
    await upstream.stop();
    expect(upstream.requests.map(({ kind, status }) => [kind, status])).toEqual([
      ['count', 200],
      ['count', 200],
    ]);
    expect(counted.input_tokens).toBe(upstream.requests[0]?.promptTokens);
    expect(input.input_tokens).toBe(upstream.requests[1]?.promptTokens);
  });

  it('is answered by an estimate where the upstream has none: 25 at once ask it once', async () => {
    const upstream = await createStrictUpstream({ canCount: false });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const client = anthropic(proxy.url);
    const ask = async (times: number): Promise<number> => {
      const messages = [{ role: 'user' as const, content: `${text} `.repeat(times) }];
      return (await client.messages.countTokens({ model: 'm', messages })).input_tokens;
    };
    const counts = await Promise.all(Array.from({ length: 25 }, (_, at) => ask(at + 1)));
    await upstream.stop();
    expect(upstream.requests).toHaveLength(1);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(new Set(counts).size).toBe(25);
    expect(counts[24]).toBeGreaterThan(250);
    expect(counts[24]).toBeLessThan(450);
  });

  it('counts system text and tools, too', async () => {
    const upstream = await createStrictUpstream({ canCount: false });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const client = anthropic(proxy.url);
    const messages = [{ role: 'user' as const, content: text }];
    const tool = { name: 'read', description: text, input_schema: { type: 'object' as const } };
    const bare = await client.messages.countTokens({ model: 'm', messages });
    const system = await client.messages.countTokens({ model: 'm', messages, system: text.repeat(5) });
    const tools = await client.messages.countTokens({ model: 'm', messages, tools: [tool] });
    await upstream.stop();
    expect(system.input_tokens).toBeGreaterThan(bare.input_tokens + 40);
    expect(tools.input_tokens).toBeGreaterThan(bare.input_tokens + 10);
  });

  it('estimates an input that is one text, and says that it is an estimate', async () => {
    await using upstream = await startServer({});
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const answer = await fetch(`${proxy.url}/v1/responses/input_tokens`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', input: text }),
    });
    expect(answer.headers.get('x-context-action')).toBe('estimated');
    const body = (await answer.json()) as { object: string; input_tokens: number };
    expect(body.object).toBe('response.input_tokens');
    expect(body.input_tokens).toBeGreaterThan(8);
  });

  it('for a model that the upstream does not have is refused in its words', async () => {
    const upstream = await createStrictUpstream({ windowTokens: { known: 9_000 } });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const messages = [{ role: 'user' as const, content: text }];
    const refused = anthropic(proxy.url).messages.countTokens({ model: 'other', messages });
    await expect(refused).rejects.toMatchObject({ status: 404 });
    await upstream.stop();
  });

  it('that is no JSON is refused', async () => {
    await using upstream = await startServer({});
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const answer = await fetch(`${proxy.url}/v1/messages/count_tokens`, { method: 'POST', body: 'x' });
    expect(answer.status).toBe(400);
  });
});

describe('the list of models', () => {
  const entry = '{ "id":"m", "object":"model", "price":0.10, "created":1700000000123456789 }';

  it('goes through character for character, but for the window', async () => {
    await using upstream = await startServer({ 'GET /v1/models': `{"object":"list", "data":[ ${entry} ]}` });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 7_000 });
    const answer = await (await fetch(`${proxy.url}/v1/models`)).text();
    const added = '"context_length":7000,"max_model_len":7000,';
    expect(answer).toBe(`{"object":"list", "data":[ ${entry.replace('{', `{${added}`)} ]}`);
  });

  it('keeps the name that it has for a window', async () => {
    const data = [{ id: 'm', max_model_len: 131_072 }, { id: 'n' }];
    await using upstream = await startServer({ 'GET /v1/models': { object: 'list', data } });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 7_000 });
    const answer = (await (await fetch(`${proxy.url}/v1/models`)).json()) as { data: unknown };
    expect(answer.data).toEqual([
      { id: 'm', max_model_len: 7_000 },
      { id: 'n', max_model_len: 7_000 },
    ]);
  });

  it('is untouched where no window is known', async () => {
    const list = `{"data":[{"id":"some-unknown-model"}]}`;
    await using upstream = await startServer({ 'GET /v1/models': list });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    expect(await (await fetch(`${proxy.url}/v1/models`)).text()).toBe(list);
  });

  it('has the catalogue that a coding agent asks for beside it', async () => {
    await using upstream = await startServer({ 'GET /v1/models': { object: 'list', data: [{ id: 'm' }] } });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const answer = await fetch(`${proxy.url}/v1/models?client_version=0.169.0`);
    expect(await answer.json()).toEqual({ models: [], object: 'list', data: [{ id: 'm' }] });
  });

  it('is in the shape of the client, also where the upstream speaks another', async () => {
    await using upstream = await startServer({
      'GET /v1/models': { object: 'list', data: [{ id: 'm', created: 1_700_000_000 }] },
      'GET /v1/models/m': { id: 'm', object: 'model', created: 1_700_000_000 },
    });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 7_000 });
    const client = anthropic(proxy.url);
    const model = {
      type: 'model',
      id: 'm',
      display_name: 'm',
      created_at: '2023-11-14T22:13:20.000Z',
      max_input_tokens: 7_000,
    };
    expect((await client.models.list()).data).toEqual([model]);
    expect(await client.models.retrieve('m')).toMatchObject(model);
    const other = openai(proxy.url);
    expect((await other.models.list()).data).toMatchObject([{ id: 'm', context_length: 7_000 }]);
    expect(await other.models.retrieve('m')).toMatchObject({ object: 'model', context_length: 7_000 });
  });

  it('keeps the shape of Anthropic where the upstream speaks it', async () => {
    const upstream = await createStrictUpstream({ windowTokens: 9_000 });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens: 7_000 });
    const { data } = await anthropic(proxy.url).models.list();
    await upstream.stop();
    expect(data).toMatchObject([{ type: 'model', id: 'm', max_input_tokens: 7_000 }]);
  });

  it('tells a window that was discovered, and asks nobody for each model of a long list', async () => {
    const asked: string[] = [];
    const discoverLimits = ({ model }: { model: string }): Promise<{ windowTokens: number }> => {
      asked.push(model);
      return Promise.resolve({ windowTokens: 6_000 });
    };
    const long = Array.from({ length: 30 }, (_, at) => ({ id: `model ${at}` }));
    await using short = await startServer({ 'GET /v1/models': { data: [{ id: 'm' }] } });
    await using other = await startServer({ 'GET /v1/models': { data: long } });
    await using near = await startProxy(`${short.url}/v1`, { services: { discoverLimits } });
    await using far = await startProxy(`${other.url}/v1`, { services: { discoverLimits } });
    expect((await openai(near.url).models.list()).data).toMatchObject([{ context_length: 6_000 }]);
    expect((await openai(far.url).models.list()).data).toEqual(long);
    expect(asked).toEqual(['m']);
  });
});

describe('what is no question', () => {
  it('goes through: HEAD, and paths that nobody knows', async () => {
    await using upstream = await startServer({
      'HEAD /api/hello': '',
      'GET /v1/files/1': '{"a":  1}',
      'DELETE /v1/responses/r': { deleted: true },
    });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const head = await fetch(`${proxy.url}/api/hello`, { method: 'HEAD' });
    const file = await fetch(`${proxy.url}/v1/files/1?beta=true`);
    const gone = await fetch(`${proxy.url}/v1/responses/r`, { method: 'DELETE' });
    const missing = await fetch(`${proxy.url}/v1/nowhere`, { method: 'POST', body: 'any' });
    expect([head.status, file.status, gone.status, missing.status]).toEqual([200, 200, 200, 404]);
    expect(await file.text()).toBe('{"a":  1}');
    expect(upstream.asked).toEqual([
      'HEAD /api/hello',
      'GET /v1/files/1',
      'DELETE /v1/responses/r',
      'POST /v1/nowhere',
    ]);
  });
});
