import { memoryFolder } from '@throughline/testkit';
import { createAgent } from '@throughline/agent';
import { createClient } from '@throughline/client';
import { createDemoDriver } from '@throughline/drivers';
import { createServer } from '@throughline/server';
import { createStrategy, ContextError } from '@throughline/core';
import { memoryBlobs, openSqliteStore } from '@throughline/stores';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openProxied } from '../src/proxy/open-proxied.ts';
import { proxyFrom } from '../src/proxy/proxy-from.ts';
import { randomIds, systemClock, systemTimer } from '@throughline/ports';
import { realComposition } from '../src/composition/real-composition.ts';
import type { Client } from '@throughline/client';
import type { ProxyRoute } from '@throughline/proxy';
import type { ServerOptions } from '@throughline/server';

export type Dialect = 'chat' | 'messages' | 'responses';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

export interface ProxiedServer extends AsyncDisposable {
  readonly url: string;
  readonly client: (token?: string) => Client;
  /** One request of a client; resolves with its status. */
  ask(asked: {
    readonly dialect: Dialect;
    readonly history: readonly object[];
    readonly headers?: Readonly<Record<string, string>>;
    readonly more?: object;
  }): Promise<number>;
}

/** A server with proxies beside its agent, over a SQLite file of its own. */
export async function openProxiedServer(
  routes: readonly (Pick<ProxyRoute, 'name' | 'upstream'> & Partial<ProxyRoute>)[],
  options: ServerOptions = {},
): Promise<ProxiedServer> {
  const folder = await mkdtemp(join(memoryFolder(), 'throughline-proxied-'));
  const file = join(folder, 'store.db');
  const store = await openSqliteStore({ file, blobs: memoryBlobs(), clock: systemClock, ids: randomIds });
  const driver = createDemoDriver({ timer: systemTimer, wordDelayMs: 0 });
  const agent = createAgent({ driver, store });
  const raw = await proxyFrom({
    routes: routes.map((route) => ({ policy: { strategy: createStrategy('threshold-tail') }, ...route })),
    composition: realComposition,
    log: silent,
    maxBodyBytes: 10_000_000,
    store: store.proxy,
  });
  const none = (name: string): Promise<never> =>
    Promise.reject(new ContextError('not-found', 'none', { kind: 'model', id: name, known: [] }));
  const services = {
    agent,
    models: { names: [driver.name], driverNamed: none },
    clock: systemClock,
    proxied: () => Promise.resolve(openProxied(store.proxy, raw.proxy)),
  };
  const server = await createServer(services, { port: 0, raw, ...options });
  const { url } = server.address;
  return {
    url,
    client: (token) => createClient({ baseUrl: url, ...(token !== undefined && { token }) }),
    async ask({ dialect, history, headers, more }) {
      const response = await fetch(`${url}/proxy/${routes[0]?.name}/v1/${paths[dialect]}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'anthropic-version': '2023-06-01',
          'x-api-key': key,
          authorization: `Bearer ${key}`,
          ...headers,
        },
        body: JSON.stringify({ model: 'm', ...bodies[dialect](history), ...more }),
      });
      await response.text();
      return response.status;
    },
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await raw[Symbol.asyncDispose]();
      await agent[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Of the upstream; it is to be seen nowhere. */
export const key = 'the-key-of-a-caller';

const paths: Readonly<Record<Dialect, string>> = {
  chat: 'chat/completions',
  messages: 'messages',
  responses: 'responses',
};

const schema = { type: 'object', properties: { path: { type: 'string' } } };

const bodies: Readonly<Record<Dialect, (history: readonly object[]) => object>> = {
  chat: (messages) => ({
    messages: [{ role: 'system', content: 'Be brief.' }, ...messages],
    tools: [{ type: 'function', function: { name: 'read', parameters: schema } }],
    max_tokens: 300,
  }),
  messages: (messages) => ({
    messages,
    system: 'Be brief.',
    tools: [{ name: 'read', input_schema: schema }],
    max_tokens: 300,
  }),
  responses: (input) => ({
    input,
    instructions: 'Be brief.',
    tools: [{ type: 'function', name: 'read', parameters: schema }],
    max_output_tokens: 300,
    store: false,
  }),
};

export const question = (turn: number): string => `Question ${turn}: why was the account moved?`;
export const output = (turn: number): string =>
  `Line of file ${turn}: the harbour-${turn} is open.\n${'The account was moved to the other ledger. '.repeat(40)}`;

/** A turn in which a file is read; the last one ends with its result. */
const turns: Readonly<Record<Dialect, (turn: number) => readonly object[]>> = {
  chat: (turn) => [
    { role: 'user', content: question(turn) },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: `call_${turn}`,
          type: 'function',
          function: { name: 'read', arguments: `{"path":"${turn}.txt"}` },
        },
      ],
    },
    { role: 'tool', tool_call_id: `call_${turn}`, content: output(turn) },
    { role: 'assistant', content: `Answer ${turn}.` },
  ],
  messages: (turn) => [
    { role: 'user', content: question(turn) },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: `call_${turn}`, name: 'read', input: { path: `${turn}.txt` } }],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `call_${turn}`, content: output(turn) }],
    },
    { role: 'assistant', content: `Answer ${turn}.` },
  ],
  responses: (turn) => [
    { role: 'user', content: question(turn) },
    { type: 'function_call', call_id: `call_${turn}`, name: 'read', arguments: `{"path":"${turn}.txt"}` },
    { type: 'function_call_output', call_id: `call_${turn}`, output: output(turn) },
    { role: 'assistant', content: `Answer ${turn}.` },
  ],
};

/** A history of so many turns that ends with a result, as a request has it. */
export function historyOf(dialect: Dialect, count: number): readonly object[] {
  return Array.from({ length: count }, (_, turn) => turns[dialect](turn))
    .flat()
    .slice(0, -1);
}
