import { afterAll } from 'vitest';
import { createAgent } from '@throughline/agent';
import { createDemoDriver } from '@throughline/drivers';
import { createServer } from '@throughline/server';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { folderBlobs, openSqliteStore } from '@throughline/stores';
import { join } from 'node:path';
import { memoryFolder } from '@throughline/testkit';
import { mkdtemp, rm } from 'node:fs/promises';
import { openBrowser } from './browser.ts';
import { randomIds, systemClock, systemTimer } from '@throughline/ports';
import type { AgentOptions } from '@throughline/agent';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { ModelDriver } from '@throughline/ports';
import type { ServerOptions, Services } from '@throughline/server';

export interface Site {
  readonly url: string;
  readonly services: Services;
  /** Stops the server, as a crash of it looks to the page, and starts it again at the same address over the same store. */
  readonly restart: () => Promise<void>;
}

export interface SiteOptions extends ServerOptions {
  readonly driver?: ModelDriver;
  /** Models that a session can go on with, beside the first. */
  readonly otherDrivers?: readonly ModelDriver[];
  /** Of the demo model, between two words. @default 0 */
  readonly wordDelayMs?: number;
  readonly agent?: Partial<AgentOptions>;
  readonly models?: Partial<Services['models']>;
  /** What proxies beside the agent remember. @default nothing */
  readonly proxied?: Services['proxied'];
}

const pageFolder = fileURLToPath(new URL('../dist', import.meta.url));
const leftovers: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const end of leftovers.splice(0).toReversed()) await end();
});

/** A real server with the page as it was built, with the demo model unless another driver is given; it ends with the file. */
export async function openSite({
  wordDelayMs = 0,
  driver,
  otherDrivers = [],
  agent: more = {},
  models: moreModels = {},
  proxied,
  ...options
}: SiteOptions = {}): Promise<Site> {
  if (!existsSync(join(pageFolder, 'index.html'))) throw new Error('Build the page first: npm run build.');
  const folder = await mkdtemp(join(memoryFolder(), 'throughline-web-'));
  leftovers.push(() => rm(folder, { recursive: true, force: true }));
  const model = driver ?? createDemoDriver({ timer: systemTimer, wordDelayMs });
  const open = async (port: number) => {
    const store = await openSqliteStore({
      file: join(folder, 'sessions.db'),
      blobs: folderBlobs(join(folder, 'blobs')),
      clock: systemClock,
      ids: randomIds,
    });
    const agent = createAgent({ driver: model, store, approvals: { isAttended: () => true }, ...more });
    const drivers = [model, ...otherDrivers];
    const models = {
      names: drivers.map(({ name }) => name),
      driverNamed: (name: string) => Promise.resolve(drivers.find((one) => one.name === name) ?? model),
      ...moreModels,
    };
    const services: Services = { agent, models, clock: systemClock, ...(proxied && { proxied }) };
    const server = await createServer(services, { port, pageFolder, ...options });
    const close = async (): Promise<void> => {
      await server.stop();
      await agent[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    };
    return { services, server, close };
  };
  let opened = await open(0);
  leftovers.push(() => opened.close());
  const { url } = opened.server.address;
  return {
    url,
    get services() {
      return opened.services;
    },
    async restart() {
      await opened.close();
      opened = await open(Number(new URL(url).port));
    },
  };
}

let browser: Browser | undefined;

export interface OpenedPage {
  readonly page: Page;
  /** What the page did that it must not: errors, refused by its policy, requests to other hosts. */
  readonly faults: readonly string[];
}

/** A tab of its own in one browser that the file shares. */
export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  if (!browser) {
    browser = await openBrowser();
    leftovers.push(async () => {
      await browser?.close();
      browser = undefined;
    });
  }
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  leftovers.push(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // A lost connection is no fault of the page, and the browser says it by itself.
    if (message.type() === 'error' && !/net::ERR|status of/.test(message.text())) faults.push(message.text());
  });
  const { origin } = new URL(url);
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url()))
      faults.push(`fetched ${request.url()}`);
  });
  await page.goto(url);
  return { page, faults };
}
