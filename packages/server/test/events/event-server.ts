import { createAdaptorServer } from '@hono/node-server';
import { createAgent } from '@throughline/agent';
import { folderBlobs, openSqliteStore } from '@throughline/stores';
import { Hono } from 'hono';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { scriptedModelDriver } from '@throughline/testkit';
import { systemTimer } from '@throughline/ports';
import { tmpdir } from 'node:os';
import { agentFeed } from '../../src/events/event-feed.ts';
import { createEventStreams } from '../../src/events/event-streams.ts';
import { eventRoutes } from '../../src/events/event-routes.ts';
import type { Agent } from '@throughline/agent';
import type { AddressInfo } from 'node:net';
import type { Caller } from '../../src/services.ts';
import type { EventStreams } from '../../src/events/event-streams.ts';
import type { ModelDriver } from '@throughline/ports';
import type { Server, ServerResponse } from 'node:http';

/** A server of events alone, on a socket and a file of its own. */
export interface EventServer {
  readonly url: string;
  readonly agent: Agent;
  readonly streams: EventStreams;
  /** Responses that are open now. */
  readonly open: ReadonlySet<ServerResponse>;
  /** Ends streams with their reason, closes the store; what is in the file stays. */
  stop(): Promise<void>;
}

export interface EventServerOptions {
  readonly folder: string;
  readonly driver?: ModelDriver;
  readonly heartbeatMs?: number;
  /** @default a free one */
  readonly port?: number;
}

/** A folder that is gone at the end of the test. */
export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-events-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function openEventServer(options: EventServerOptions): Promise<EventServer> {
  const { folder, driver = scriptedModelDriver([]), heartbeatMs, port = 0 } = options;
  const store = await openSqliteStore({
    file: join(folder, 'sessions.db'),
    blobs: folderBlobs(join(folder, 'blobs')),
  });
  const agent = createAgent({ driver, store });
  const streams = createEventStreams({
    feed: agentFeed(agent),
    ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
  });
  const app = new Hono<{ Variables: { caller: Caller } }>();
  app.use(async (c, next) => {
    c.set('caller', { owner: c.req.header('x-owner') ?? '' });
    await next();
  });
  app.onError((error, c) => c.json({ title: error.message, status: 400 }, 400));
  app.route('/', eventRoutes({ agent }, streams));
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server;
  const open = new Set<ServerResponse>();
  server.on('request', (_, response: ServerResponse) => {
    open.add(response);
    response.on('close', () => open.delete(response));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  let stopped: Promise<void> | undefined;
  const stopOnce = async (): Promise<void> => {
    streams[Symbol.dispose]();
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
  return { url: `http://127.0.0.1:${taken}`, agent, streams, open, stop };
}

/** Waits until something holds; the test's own time limit is the only one. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await systemTimer.wait(2);
}
