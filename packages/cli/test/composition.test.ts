import { describe, expect, it } from 'vitest';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '@throughline/config';
import { openAgent } from '../src/composition/open-agent.ts';
import { realComposition } from '../src/composition/real-composition.ts';
import { startModelServer } from './model-server.ts';
import { temporaryFolder, writeInto } from './support.ts';
import type { Environment, ModelConfig } from '@throughline/config';
import type { ModelDriver, ModelEvent, StepRequest } from '@throughline/ports';

const { createDriverFrom, limitsOf, openStoreFrom, createSummariserFrom } = realComposition;

function modelOf(text: string, environment: Environment = {}): ModelConfig {
  const result = parseConfig({ file: { path: '/a.yaml', text }, environment, workingFolder: '/' });
  if (result.type === 'faults') throw new Error(JSON.stringify(result.faults));
  return result.config.model;
}

async function eventsOf(driver: ModelDriver, request: StepRequest): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of driver.stream(request, { signal: new AbortController().signal }))
    events.push(event);
  return events;
}

const hello: StepRequest = { messages: [{ role: 'user', content: 'hello' }] };

function chatStream(text: string, promptTokens: number): string {
  const chunk = (delta: object, rest: object = {}): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, ...rest }] })}\n\n`;
  const usage = `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: { prompt_tokens: promptTokens, completion_tokens: 2, total_tokens: promptTokens + 2 } })}\n\n`;
  return `${chunk({ role: 'assistant', content: text })}${chunk({}, { finish_reason: 'stop' })}${usage}data: [DONE]\n\n`;
}

describe('a driver from the configuration', () => {
  it('asks the configured server with key, headers and temperature', async () => {
    const server = await startModelServer({ '/v1/chat/completions': { body: chatStream('hi', 9) } });
    const model = modelOf(
      `model: { provider: openai, name: m, baseUrl: "${server.url}/v1", apiKeyEnv: KEY, headers: { x-team: blue }, temperature: 0.2 }`,
      { KEY: 'key-1' },
    );
    const driver = createDriverFrom(model);
    expect(driver).toMatchObject({ provider: 'openai', model: 'm', codec: { name: 'openai-chat' } });
    const events = await eventsOf(driver, hello);
    expect(events.at(-1)).toMatchObject({ type: 'end', finish: 'stop', usage: { inputTokens: 9 } });
    const [asked] = server.asked;
    expect(asked?.headers).toMatchObject({ authorization: 'Bearer key-1', 'x-team': 'blue' });
    expect(JSON.parse(asked?.body ?? '')).toMatchObject({ model: 'm', temperature: 0.2 });
    await eventsOf(driver, { ...hello, temperature: 1 });
    expect(JSON.parse(server.asked[1]?.body ?? '')).toMatchObject({ temperature: 1 });
  });

  it.each([
    ['model: openai-responses:gpt-5', 'openai-responses'],
    ['model: anthropic:claude-opus-4-5', 'anthropic'],
    ['model: ollama:qwen3', 'openai-chat'],
    ['model: demo', 'anthropic'],
  ])('%s speaks %s', (text, codec) => {
    expect(createDriverFrom(modelOf(text)).codec.name).toBe(codec);
  });

  it('notices a prompt that was cut without a word', async () => {
    const server = await startModelServer({ '/v1/chat/completions': { body: chatStream('hi', 900) } });
    const model = modelOf(
      `model: { provider: openai-compatible, name: m, baseUrl: "${server.url}/v1", windowTokens: 4k }`,
    );
    const long = { messages: [{ role: 'user', content: 'one two three four '.repeat(900) }] };
    const events = await eventsOf(createDriverFrom(model), long);
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
      { warning: { type: 'prompt-cut' } },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'end', wasCut: true });
  });

  it('learns what the server counts: many more than the estimate are no cut, nor is the same again', async () => {
    const server = await startModelServer({ '/v1/chat/completions': { body: chatStream('hi', 3_400) } });
    const model = modelOf(
      `model: { provider: openai-compatible, name: m, baseUrl: "${server.url}/v1", windowTokens: 4k }`,
    );
    const driver = createDriverFrom(model);
    const long = { messages: [{ role: 'user', content: 'one two three four '.repeat(600) }] };
    for (let step = 0; step < 3; step += 1) {
      const events = await eventsOf(driver, long);
      expect(events.filter(({ type }) => type === 'warning')).toEqual([]);
    }
  });

  it('goes on without tools where the model refuses them', async () => {
    const server = await startModelServer({
      '/v1/chat/completions': { status: 400, body: { error: { message: 'm does not support tools' } } },
    });
    const model = modelOf(`model: { provider: openai-compatible, name: m, baseUrl: "${server.url}/v1" }`);
    const tool = { name: 'a', description: 'b', inputSchema: { type: 'object' } };
    await eventsOf(createDriverFrom(model), { ...hello, tools: [tool] });
    expect(server.asked.map(({ body }) => 'tools' in (JSON.parse(body) as object))).toEqual([true, false]);
  });

  it('answers as the demo without a server, and writes summaries', async () => {
    const driver = createDriverFrom(modelOf('model: demo'));
    expect((await eventsOf(driver, hello)).at(-1)).toMatchObject({ type: 'end' });
    expect(createSummariserFrom(driver).name).toBe('demo:scripted');
  });
});

describe('limits', () => {
  it('are those of the user, then of the server, then of the catalogue', () => {
    const window = (text: string, discovered?: number): unknown =>
      limitsOf(
        modelOf(text),
        discovered === undefined ? undefined : { windowTokens: discovered, source: 's' },
      ).window;
    expect(window('model: { provider: ollama, name: m, windowTokens: 9k }', 5_000)).toEqual({
      tokens: 9_000,
      source: 'user',
    });
    expect(window('model: ollama:m', 5_000)).toEqual({ tokens: 5_000, source: 'discovered' });
    expect(window('model: ollama:m')).toEqual({ tokens: 16_000, source: 'default' });
    expect(window('model: openrouter:nobody/knows')).toEqual({ tokens: 128_000, source: 'default' });
    expect(window('model: demo')).toMatchObject({ tokens: 32_000 });
    expect(window('model: { provider: demo, windowTokens: 8k }')).toMatchObject({ tokens: 8_000 });
  });
});

describe('a store from the configuration', () => {
  it('is made with its folders, for this user alone', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'a/b/c.db');
    const store = await openStoreFrom({ type: 'sqlite', file, blobs: { folder: join(folder, 'a/b/blobs') } });
    await store.sessions.create({ id: 's' });
    await store[Symbol.asyncDispose]();
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await openStoreFrom({ type: 'sqlite', file, blobs: { folder } });
    expect((await again.sessions.read('s')).id).toBe('s');
    await again[Symbol.asyncDispose]();
  });

  it('says why its folder cannot be made', async () => {
    const folder = temporaryFolder();
    const file = join(writeInto(folder, 'a-file', ''), 'sub', 'c.db');
    const opening = openStoreFrom({ type: 'sqlite', file, blobs: { folder: join(folder, 'blobs') } });
    await expect(opening).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('its folder cannot be made (ENOTDIR') as unknown,
    });
  });

  it('in memory touches no disk', async () => {
    const store = await openStoreFrom({ type: 'memory' });
    expect((await store.sessions.create()).id).toMatch(/^\w+_[0-9a-f-]{36}$/);
    await store[Symbol.asyncDispose]();
    expect(existsSync(':memory:')).toBe(false);
  });
});

it('asks the server of a summariser of its own how much it takes', async () => {
  const folder = temporaryFolder();
  const text = 'summarizer: ollama:small\nstore: { type: memory }\n';
  const parsed = parseConfig({
    file: { path: join(folder, 'a.yaml'), text },
    environment: {},
    workingFolder: folder,
  });
  if (parsed.type === 'faults') throw new Error(JSON.stringify(parsed.faults));
  const asked: string[] = [];
  await using _opened = await openAgent({
    config: parsed.config,
    composition: {
      ...realComposition,
      discoverLimitsOf: ({ name }) => {
        asked.push(name);
        return Promise.resolve({ windowTokens: 4_096, source: 'test' });
      },
    },
    environment: {},
    isAttended: () => false,
    owner: 'test',
  });
  expect(asked).toEqual(['small']);
});
