import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { createAgent, defineTool } from '@throughline/agent';
import { ContextError } from '@throughline/core';
import { systemClock } from '@throughline/ports';
import { folderBlobs, openSqliteStore } from '@throughline/stores';
import { scriptedModelDriver, memoryFolder } from '@throughline/testkit';
import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Agent, AgentOptions } from '@throughline/agent';
import type { ModelDriver, SessionStore } from '@throughline/ports';
import type { ScriptedModelDriver } from '@throughline/testkit';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerEnv } from '../../src/server-env.ts';
import type { Services } from '../../src/services.ts';

export type Script = Parameters<typeof scriptedModelDriver>[0];

export interface Bench {
  readonly agent: Agent;
  readonly store: SessionStore;
  readonly driver: ScriptedModelDriver;
  readonly services: Services;
}

/** An agent with a scripted model over a file of its own, gone at the end of the test. */
export async function openBench(
  script: Script,
  options: Partial<Omit<AgentOptions, 'driver' | 'store'>> = {},
): Promise<Bench> {
  const folder = await mkdtemp(join(memoryFolder(), 'throughline-server-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = await openSqliteStore({
    file: join(folder, 'sessions.db'),
    blobs: folderBlobs(join(folder, 'blobs')),
  });
  onTestFinished(() => store[Symbol.asyncDispose]());
  const driver = scriptedModelDriver(script);
  const agent = createAgent({ driver, store, retry: false, ...options });
  onTestFinished(() => agent[Symbol.asyncDispose]());
  const models = { names: [driver.name], driverNamed: (): Promise<ModelDriver> => Promise.resolve(driver) };
  return { agent, store, driver, services: { agent, models, clock: systemClock } };
}

/** Serves routes over a real socket, for one owner; its address. */
export async function serve(routes: Hono<ServerEnv>, owner = ''): Promise<string> {
  const app = new Hono<ServerEnv>();
  app.use(async (c, next) => {
    c.set('caller', { owner: c.req.header('x-test-owner') ?? owner });
    c.set('readJson', () => c.req.json());
    await next();
  });
  app.onError((error, c) => {
    const code = ContextError.is(error) ? error.code : 'fault';
    return c.json({ code, detail: error.message }, code === 'not-found' ? 404 : 422);
  });
  app.route('/', routes);
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Resolves when something has become true. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5));
}

export const look = defineTool({
  name: 'look',
  description: 'Looks at something',
  input: z.object({ at: z.string() }),
  reads: () => [],
  execute: ({ at }) => `seen ${at}`,
});

export const press = defineTool({
  name: 'press',
  description: 'Presses a button',
  input: z.object({ button: z.string() }),
  approval: 'ask',
  execute: ({ button }) => `pressed ${button}`,
});
