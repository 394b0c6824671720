import { createAdaptorServer } from '@hono/node-server';
import { createAgent } from '@throughline/agent';
import { folderBlobs, openSqliteStore } from '@throughline/stores';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { scriptedModelDriver, memoryFolder } from '@throughline/testkit';
import { systemClock, systemTimer } from '@throughline/ports';
import { createApp } from '../../src/app/create-app.ts';
import { openSettings } from '../../src/settings/open-settings.ts';
import { setupOf } from '../../src/server-options.ts';
import type { Agent } from '@throughline/agent';
import type { AddressInfo } from 'node:net';
import type { Hono } from 'hono';
import type { ModelDriver } from '@throughline/ports';
import type { Server, ServerResponse } from 'node:http';
import type { ServerEnv } from '../../src/server-env.ts';
import type { ServerOptions } from '../../src/server-options.ts';
import type { Services } from '../../src/services.ts';

/** A server on a socket and a file of its own, which one can look into. */
export interface EventServer {
  readonly url: string;
  readonly app: Hono<ServerEnv>;
  readonly agent: Agent;
  /** Responses that are open now. */
  readonly open: ReadonlySet<ServerResponse>;
  /** Ends streams with their reason, closes the store; what is in the file stays. */
  stop(): Promise<void>;
}

interface EventServerOptions extends Pick<ServerOptions, 'heartbeatMs' | 'tokens' | 'allowedOrigins'> {
  readonly folder: string;
  readonly driver?: ModelDriver;
}

/** A folder that is gone at the end of the test. */
export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(memoryFolder(), 'throughline-events-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function openEventServer(options: EventServerOptions): Promise<EventServer> {
  const { folder, driver = scriptedModelDriver([]) } = options;
  const store = await openSqliteStore({
    file: join(folder, 'sessions.db'),
    blobs: folderBlobs(join(folder, 'blobs')),
  });
  const agent = createAgent({ driver, store });
  const services: Services = {
    agent,
    models: { names: [driver.name], driverNamed: () => Promise.resolve(driver) },
    clock: systemClock,
  };
  const stopping = new AbortController();
  const setup = setupOf({ ...options, port: 0 });
  using settings = await openSettings(services, setup.log);
  const { app } = createApp({ ...services, settings }, setup, {
    refusing: stopping.signal,
    stopping: stopping.signal,
  });
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server;
  const open = new Set<ServerResponse>();
  server.on('request', (_, response: ServerResponse) => {
    open.add(response);
    response.on('close', () => open.delete(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let stopped: Promise<void> | undefined;
  const stopOnce = async (): Promise<void> => {
    stopping.abort();
    const closed = once(server, 'close');
    server.close();
    server.closeIdleConnections();
    await agent[Symbol.asyncDispose]();
    await systemTimer.wait(5);
    server.closeAllConnections();
    await closed;
    await store[Symbol.asyncDispose]();
  };
  const stop = (): Promise<void> => (stopped ??= stopOnce());
  onTestFinished(stop);
  const { port: taken } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${taken}`, app, agent, open, stop };
}

/** Waits until something holds; the test's own time limit is the only one. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await systemTimer.wait(2);
}
