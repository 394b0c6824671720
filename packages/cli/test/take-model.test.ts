import { captureCli } from './support.ts';
import { expect, it } from 'vitest';
import { parseConfig } from '@throughline/config';
import { realComposition } from '../src/composition/real-composition.ts';
import { startModelServer } from './model-server.ts';
import { takeModel } from '../src/serve/take-model.ts';
import type { Config } from '@throughline/config';
import type { Models } from '@throughline/server';

type Named = Parameters<NonNullable<Models['take']>>[0];
type Env = Readonly<Record<string, string>>;

function configOf(text: string, environment: Env): Config {
  const parsed = parseConfig({ file: { path: '/a.yaml', text }, environment, workingFolder: '/' });
  if (parsed.type === 'faults') throw new Error(JSON.stringify(parsed.faults));
  return parsed.config;
}

function take(
  named: Named,
  {
    file = 'model: demo',
    env = {},
    mustAnswer = true,
  }: { file?: string; env?: Env; mustAnswer?: boolean } = {},
) {
  const cli = captureCli({ env });
  return takeModel(named, { config: configOf(file, env), cli, composition: realComposition, mustAnswer });
}

const models = { '/v1/models': { body: { object: 'list', data: [{ id: 'big' }] } } };

it('takes a model whose server answers, with the window that was said, and says what is odd about it', async () => {
  const { url } = await startModelServer(models);
  const named = { name: 'openai-compatible:big', baseUrl: `${url}/v1`, windowTokens: 9_000 };
  const taken = await take(named);
  expect(taken).toMatchObject({
    type: 'taken',
    driver: { model: 'big', limits: { windowTokens: 9_000 } },
    summarisers: { configured: { type: 'same' }, same: { type: 'same' }, own: { type: 'model' } },
  });
  expect(taken).not.toHaveProperty('note');
  expect(await take({ ...named, name: 'openai-compatible:small' })).toMatchObject({
    type: 'taken',
    note: expect.stringContaining('does not list small. It has big'),
  });
});

it('sends a key to no address that it was not configured for', async () => {
  const server = await startModelServer(models);
  const named = { name: 'openai-compatible:big', baseUrl: `${server.url}/v1` };
  const env = { THROUGHLINE_API_KEY: 'a-key', OPENAI_API_KEY: 'another' };
  await take(named, { env });
  await take({ ...named, name: 'openai:big' }, { env });
  const headers = server.asked.map((asked) => JSON.stringify(asked.headers));
  expect(headers.length).toBeGreaterThan(1);
  expect(headers.filter((one) => /a-key|another/.test(one))).toEqual([]);
  const file = `model: { provider: openai-compatible, name: own, baseUrl: "${server.url}/v1" }`;
  await take(named, { env, file });
  expect(server.asked.at(-1)?.headers.authorization).toBe('Bearer a-key');
});

it.each([
  ['name', { name: 'nonsense' }, 'nonsense'],
  ['name', { name: 'anthropic:claude-opus-4-5' }, 'ANTHROPIC_API_KEY'],
  ['baseUrl', { name: 'ollama:x', baseUrl: 'http://127.0.0.1:1/v1' }, 'cannot be reached'],
  ['baseUrl', { name: 'openai-compatible:x', baseUrl: 'http://me:secret@127.0.0.1/v1' }, 'without a name'],
  ['baseUrl', { name: 'openai-compatible:x', baseUrl: 'file:///etc/passwd' }, 'http'],
])('refuses at its %s what cannot work: %j', async (field, named, says) => {
  const answer = await take(named);
  expect(answer).toMatchObject({
    type: 'refused',
    field,
    message: expect.stringContaining(says),
  });
});

it('takes one that was taken before though its server is away now, and none whose key is missing', async () => {
  const away = { name: 'ollama:x', baseUrl: 'http://127.0.0.1:1/v1' };
  expect(await take(away, { mustAnswer: false })).toMatchObject({ type: 'taken', driver: { model: 'x' } });
  const keyless = { name: 'anthropic:claude-opus-4-5' };
  expect(await take(keyless, { mustAnswer: false })).toMatchObject({
    type: 'refused',
    message: expect.stringContaining('ANTHROPIC_API_KEY'),
  });
});
