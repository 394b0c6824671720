import { captureCli, temporaryFolder, writeInto } from './support.ts';
import { createStrictUpstream } from '@throughline/testkit';
import { expect, it } from 'vitest';
import { openProxiedServer } from './proxied-support.ts';
import { parseConfig } from '@throughline/config';
import { realComposition } from '../src/composition/real-composition.ts';
import { runCommandLine } from '../src/command-line.ts';
import type { AnswerScript } from '@throughline/testkit';

/** Recalls the first message, and says then that it has. */
const answer: AnswerScript = ({ messages }) =>
  messages.at(-1)?.role === 'tool'
    ? { text: 'It is there.' }
    : { calls: [{ name: 'context_recall', input: { id: 'm0' } }] };

it.each([
  [['--recall'], true],
  [[], false],
] as const)('throughline proxy %j offers the model a tool of its own: %s', async (options, isOffered) => {
  const upstream = await createStrictUpstream({ windowTokens: 20_000, answer });
  const home = temporaryFolder();
  const config = writeInto(home, 'throughline.yaml', `store: { type: memory }\n`);
  const stop = new AbortController();
  const started = Promise.withResolvers<string>();
  const cli = captureCli({
    out: (text) => started.resolve((JSON.parse(text) as { readonly url: string }).url),
    env: { XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
    workingFolder: home,
    watchStops: () => stop.signal,
    compose: () => Promise.resolve(realComposition),
  });
  const asked = [
    'proxy',
    '--upstream',
    `${upstream.url}/v1`,
    '--port',
    '0',
    '--json',
    '--config',
    config,
    '--trust',
  ];
  const ended = runCommandLine([...asked, ...options], cli, '1');
  const url = await Promise.race([
    started.promise,
    ended.then(() => Promise.reject(new Error(cli.stderr()))),
  ]);
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Where is it?' }] }),
  });
  const said = await response.text();
  stop.abort();
  expect(await ended).toBe(0);
  await upstream.stop();
  expect(upstream.requests.find(({ kind }) => kind === 'answer')?.asked?.toolNames).toEqual(
    isOffered ? ['context_recall'] : [],
  );
  expect(said.includes('It is there.')).toBe(isOffered);
});

it('a route of a configuration recalls where it says so, and not else', () => {
  const yaml =
    'proxy: { routes: { a: { upstream: "http://a/v1", recall: true }, b: { upstream: "http://b/v1" } } }';
  const file = { path: '/throughline.yaml', text: yaml };
  const result = parseConfig({ file, environment: { HOME: '/' }, workingFolder: '/' });
  if (result.type !== 'config') throw new Error('expected a configuration');
  const { routes } = result.config.proxy;
  expect([routes['a']?.recall, routes['b']?.recall]).toEqual([true, false]);
});

it('what models have recalled is counted for the route', async () => {
  const upstream = await createStrictUpstream({ windowTokens: 20_000, answer });
  await using opened = await openProxiedServer([
    { name: 'it', upstream: `${upstream.url}/v1`, windowTokens: 20_000, recall: true },
  ]);
  await opened.ask({ dialect: 'chat', history: [{ role: 'user', content: 'Where is it?' }] });
  const { items } = await opened.client().listProxyRoutes();
  await upstream.stop();
  expect(items[0]?.traffic).toMatchObject({ requests: 1, recalls: 1, restarts: 0 });
});
