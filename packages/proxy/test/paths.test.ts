import { createProxyRoutes } from '../src/index.ts';
import { createStrategy } from '@throughline/core';
import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { rawCall } from './raw-call.ts';
import { readOverflow } from '@throughline/drivers';
import { startProxy } from './start-proxy.ts';
import { systemClock } from '@throughline/ports';

const sentence = 'The account was moved to the other ledger because the first one was closed. ';

const bodyOf = (turns: number): string =>
  JSON.stringify({
    model: 'm',
    messages: Array.from({ length: 2 * turns - 1 }, (_, at) =>
      at % 2 === 0
        ? { role: 'user', content: `Question ${at / 2}: why? ${sentence.repeat(4)}` }
        : { role: 'assistant', content: `It was, ${at}.` },
    ),
  });

describe('what was done to a context', () => {
  it('is nothing where the bytes are the client’s, and a replay only where an earlier change stands', async () => {
    const windowTokens = 4_000;
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const actions = new Set<unknown>();
    for (let turns = 1; turns <= 40; turns += 1) {
      const body = bodyOf(turns);
      const answer = await rawCall(proxy.url, { path: '/v1/chat/completions', body });
      const action = String(answer.headers['x-context-action']);
      const isTheClients = upstream.requests.at(-1)?.bytes.toString() === body;
      expect(action === 'none', `turn ${turns}: ${action}`).toBe(isTheClients);
      actions.add(action);
    }
    await upstream.stop();
    expect(actions).toEqual(new Set(['none', 'compacted', 'replayed']));
  });
});

describe('a path', () => {
  it.each(['//v1/chat/completions', '/v1//chat/completions', '///v1/v1//chat/completions'])(
    'with slashes too many is that of its API all the same: %s',
    async (path) => {
      const windowTokens = 4_000;
      const upstream = await createStrictUpstream({ windowTokens });
      await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
      const answer = await rawCall(proxy.url, { path, body: bodyOf(2) });
      await upstream.stop();
      expect(answer.headers['x-context-action']).toBe('none');
    },
  );

  it('of a proxy alone leads to the upstream but for those that tell of the proxy', () => {
    const route = {
      name: 'it',
      upstream: 'http://localhost:1/v1',
      policy: { strategy: createStrategy('reactive-overflow') },
    };
    const owned = (everything?: string): readonly string[] => {
      const routes = createProxyRoutes({ clock: systemClock, readOverflow }, { routes: [route] }, everything);
      return ['/', '/v1/models', '/health', '/ready', '/metrics', '/errors'].filter((path) =>
        routes.owns(path),
      );
    };
    expect(owned('it')).toEqual(['/', '/v1/models']);
    // A server that has more to show keeps them.
    expect(owned()).toEqual([]);
  });

  it('that is the root asks the root of the upstream', async () => {
    const upstream = await createStrictUpstream({ windowTokens: 4_000 });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const there = await fetch(`${upstream.url}/`);
    const here = await fetch(`${proxy.url}/`);
    expect([here.status, await here.text()]).toEqual([there.status, await there.text()]);
    await upstream.stop();
  });
});
