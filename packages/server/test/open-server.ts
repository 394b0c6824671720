import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryFolder } from '@throughline/testkit';
import { createAgent } from '@throughline/agent';
import { ContextError } from '@throughline/core';
import { createDemoDriver } from '@throughline/drivers';
import { createServer } from '@throughline/server';
import { folderBlobs, openSqliteStore } from '@throughline/stores';
import { randomIds, systemClock, systemTimer } from '@throughline/ports';
import type { AgentOptions } from '@throughline/agent';
import type { ModelDriver } from '@throughline/ports';
import type { RunningServer, ServerOptions, Services } from '@throughline/server';

export interface OpenedServer extends AsyncDisposable {
  readonly server: RunningServer;
  readonly services: Services;
  readonly url: string;
  readonly folder: string;
  /** Errors that nobody foresaw. */
  readonly faults: readonly unknown[];
}

interface OpenOptions extends ServerOptions {
  readonly driver?: ModelDriver;
  /** Of the demo model, between two words. @default 0 */
  readonly wordDelayMs?: number;
  readonly agent?: Partial<AgentOptions>;
  readonly models?: Partial<Services['models']>;
}

/** A server on a free port over a SQLite file of its own, with the demo model unless another driver is given. */
export async function openServer({
  wordDelayMs = 0,
  driver = createDemoDriver({ timer: systemTimer, wordDelayMs }),
  agent: more = {},
  models = {},
  ...options
}: OpenOptions = {}): Promise<OpenedServer> {
  const folder = await mkdtemp(join(memoryFolder(), 'throughline-server-'));
  const store = await openSqliteStore({
    file: join(folder, 'sessions.db'),
    blobs: folderBlobs(join(folder, 'blobs')),
    clock: systemClock,
    ids: randomIds,
  });
  const agent = createAgent({ driver, store, approvals: { isAttended: () => true }, ...more });
  const services: Services = { agent, models: { ...modelsOf(driver), ...models }, clock: systemClock };
  const faults: unknown[] = [];
  const close = async (): Promise<void> => {
    await agent[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  };
  const server = await createServer(services, {
    port: 0,
    onFault: (error) => void faults.push(error),
    ...options,
  }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    server,
    services,
    url: server.address.url,
    folder,
    faults,
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await close();
    },
  };
}

function modelsOf(driver: ModelDriver): Services['models'] {
  return {
    names: [driver.name],
    driverNamed: (name) =>
      name === driver.name
        ? Promise.resolve(driver)
        : Promise.reject(
            new ContextError('not-found', `There is no model ${name}.`, {
              kind: 'model',
              id: name,
              known: [driver.name],
            }),
          ),
  };
}
