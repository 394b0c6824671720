import { describe, expect, it, onTestFinished } from 'vitest';
import { askerOf } from './api-client.ts';
import { createAgent, defineTool } from '@throughline/agent';
import { createServer } from '@throughline/server';
import { folderBlobs, openSqliteStore } from '@throughline/stores';
import { join } from 'node:path';
import { memoryFolder, scriptedDriver, scriptedModelDriver } from '@throughline/testkit';
import { mkdtemp, rm } from 'node:fs/promises';
import { systemClock } from '@throughline/ports';
import { z } from 'zod';
import type { Ask } from './api-client.ts';
import type { AgentOptions, SummariserChoice } from '@throughline/agent';
import type { ModelDriver, SessionStore } from '@throughline/ports';
import type { ServerLog, Services } from '@throughline/server';

type Take = NonNullable<Services['models']['take']>;

interface Process extends AsyncDisposable {
  readonly ask: Ask;
  readonly services: Services;
  readonly warnings: readonly string[];
}

interface ProcessOptions {
  readonly agent?: Partial<AgentOptions>;
  readonly take?: Take;
  /** Around the store, as a store that fails. */
  readonly around?: (store: SessionStore) => SessionStore;
}

const bash = defineTool({
  name: 'bash',
  description: 'Runs a command.',
  input: z.object({}),
  execute: () => Promise.resolve('done'),
});

async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(memoryFolder(), 'throughline-kept-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'sessions.db');
}

const driverNamed = (name: string): ModelDriver => ({ ...scriptedModelDriver([]), name });

const taking: Take = ({ name }) => {
  const driver = driverNamed(name);
  const own: SummariserChoice = { type: 'model', driver: scriptedDriver(), windowTokens: 9_000 };
  return Promise.resolve({
    type: 'taken',
    driver,
    summarisers: { configured: { type: 'code' }, same: { type: 'code' }, own },
  });
};

/** A server process on a file that others may have open, too. */
async function startOn(file: string, { agent: more, take, around = (store) => store }: ProcessOptions = {}) {
  const opened = await openSqliteStore({ file, blobs: folderBlobs(`${file}-blobs`) });
  const store = around(opened);
  const driver = driverNamed('configured:model');
  const agent = createAgent({ driver, store, tools: [bash], limits: { maxSteps: 7 }, ...more });
  const services: Services = {
    agent,
    models: {
      names: [driver.name],
      driverNamed: () => Promise.resolve(driver),
      ...(take && { take }),
    },
    clock: systemClock,
  };
  const warnings: string[] = [];
  const log: ServerLog = {
    debug() {},
    info() {},
    warn: (_, message) => void warnings.push(message),
    error: (_, message) => void warnings.push(message),
  };
  const server = await createServer(services, { port: 0, log });
  let ended: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await server.stop();
    await agent[Symbol.asyncDispose]();
    await opened[Symbol.asyncDispose]();
  };
  const process: Process = {
    ask: askerOf(server.address.url),
    services,
    warnings,
    [Symbol.asyncDispose]: () => (ended ??= end()),
  };
  onTestFinished(() => process[Symbol.asyncDispose]());
  return process;
}

const changes = {
  strategy: 'digest',
  summariser: 'code',
  windowTokens: 9_000,
  background: false,
  budget: { target: 0.4, keepTurns: 9 },
  byModel: { 'configured:model': { windowTokens: 7_000, budget: { target: 0.3 } } },
  limits: { maxSteps: 3 },
  approvals: { bash: 'allow' },
};

describe('settings that were changed', () => {
  it('hold after a restart as they did before it, and come back to what is configured with null', async () => {
    const file = await newFile();
    const first = await startOn(file);
    const before = (await first.ask('GET', '/api/settings')).body;
    expect(before).toMatchObject({ isKept: true, changed: [], refused: [], byModel: {} });
    const changed = (await first.ask('PATCH', '/api/settings', { body: changes })).body;
    await first[Symbol.asyncDispose]();
    const second = await startOn(file);
    // Before anybody asks for them: a run may begin at once.
    expect(second.services.agent.settings.get()).toMatchObject({
      windowTokens: 9_000,
      background: false,
      budget: { target: 0.4, keepTurns: 9 },
      byModel: changes.byModel,
      limits: { maxSteps: 3 },
      rules: { bash: 'allow' },
    });
    expect((await second.ask('GET', '/api/settings')).body).toEqual(changed);
    expect(new Set(changed.changed)).toEqual(
      new Set([
        'strategy',
        'windowTokens',
        'background',
        'budget.target',
        'budget.keepTurns',
        'byModel.configured:model.windowTokens',
        'byModel.configured:model.budget.target',
        'limits.maxSteps',
        'approvals.bash',
      ]),
    );
    const all = Object.fromEntries(Object.keys(changes).map((name) => [name, null]));
    expect((await second.ask('PATCH', '/api/settings', { body: all })).body).toEqual(before);
    await second[Symbol.asyncDispose]();
    const third = await startOn(file);
    expect((await third.ask('GET', '/api/settings')).body).toEqual(before);
  });

  it('leave alone what they do not name: there the configuration of the next start holds', async () => {
    const file = await newFile();
    const first = await startOn(file, { agent: { context: { budget: { keepTurns: 4 } } } });
    await first.ask('PATCH', '/api/settings', { body: { budget: { target: 0.4 } } });
    await first[Symbol.asyncDispose]();
    const second = await startOn(file, {
      agent: { context: { budget: { keepTurns: 5, target: 0.6 } }, limits: { maxSteps: 9 } },
    });
    expect((await second.ask('GET', '/api/settings')).body).toMatchObject({
      budget: { keepTurns: 5, target: 0.4 },
      limits: { maxSteps: 9 },
      changed: ['budget.target'],
    });
  });

  it('hold in another process that has the store open, and neither loses what the other changes', async () => {
    const file = await newFile();
    const [one, other] = [await startOn(file), await startOn(file)];
    await one.ask('PATCH', '/api/settings', { body: { windowTokens: 9_000 } });
    // Nobody asks the other one.
    await expect.poll(() => other.services.agent.settings.get().windowTokens).toBe(9_000);
    await Promise.all([
      one.ask('PATCH', '/api/settings', { body: { budget: { keepTurns: 3 } } }),
      other.ask('PATCH', '/api/settings', { body: { budget: { target: 0.4 } } }),
      one.ask('PATCH', '/api/settings', { body: { limits: { maxSteps: 2 } } }),
      other.ask('PATCH', '/api/settings', { body: { auto: false } }),
    ]);
    for (const { ask } of [one, other])
      expect((await ask('GET', '/api/settings')).body).toMatchObject({
        windowTokens: 9_000,
        budget: { keepTurns: 3, target: 0.4 },
        limits: { maxSteps: 2 },
        auto: false,
      });
  });

  it('of models are taken again, without asking their servers', async () => {
    const file = await newFile();
    const asked: unknown[] = [];
    const take: Take = async (named, options) => {
      asked.push([named.name, options.mustAnswer]);
      return await taking(named, options);
    };
    const first = await startOn(file, { take });
    const model = { name: 'ollama:x', baseUrl: 'http://127.0.0.1:1/v1' };
    await first.ask('PATCH', '/api/settings', { body: { model, summariser: { name: 'ollama:y' } } });
    await first[Symbol.asyncDispose]();
    const second = await startOn(file, { take });
    expect(second.services.agent.settings.get()).toMatchObject({
      driver: { name: 'ollama:x' },
      summariser: { type: 'model' },
    });
    expect((await second.ask('GET', '/api/settings')).body).toMatchObject({
      changed: ['model', 'summariser'],
      named: { model, summariser: { name: 'ollama:y' } },
    });
    expect(asked).toEqual([
      ['ollama:x', true],
      ['ollama:y', true],
      ['ollama:x', false],
      ['ollama:y', false],
    ]);
  });
});

describe('a kept setting that cannot be had', () => {
  it('is told and left out, while the others hold, and holds again where it can be had', async () => {
    const file = await newFile();
    const first = await startOn(file, { take: taking });
    await first.ask('PATCH', '/api/settings', { body: { model: { name: 'needs:key' }, auto: false } });
    await first[Symbol.asyncDispose]();
    const message = 'It needs a key.';
    const refuses: Take = () => Promise.resolve({ type: 'refused', field: 'name', message });
    const second = await startOn(file, { take: refuses });
    expect((await second.ask('GET', '/api/settings')).body).toMatchObject({
      auto: false,
      changed: ['auto'],
      named: { model: null },
      refused: [{ name: 'model', message }],
    });
    expect(second.warnings).toEqual([`The setting model was kept and cannot be had now: ${message}`]);
    await second.ask('PATCH', '/api/settings', { body: { background: false } });
    await second[Symbol.asyncDispose]();
    const third = await startOn(file, { take: taking });
    expect((await third.ask('GET', '/api/settings')).body).toMatchObject({
      auto: false,
      background: false,
      named: { model: { name: 'needs:key' } },
      refused: [],
    });
  });

  it('is kept on where a newer program has kept it, until it is changed', async () => {
    const file = await newFile();
    const { ask, services } = await startOn(file);
    const { settings } = services.agent.store;
    await settings?.keep(0, { fromTheFuture: { some: 1 }, auto: 'sometimes', background: false });
    const { refused, ...told } = (await ask('GET', '/api/settings')).body;
    expect(told).toMatchObject({ auto: true, background: false, changed: ['background'] });
    expect(refused).toEqual([
      { name: 'fromTheFuture', message: expect.stringContaining('is not known here') },
      { name: 'auto', message: expect.stringContaining('boolean') },
    ]);
    await ask('PATCH', '/api/settings', { body: { auto: false } });
    expect(await settings?.read()).toMatchObject({
      settings: { fromTheFuture: { some: 1 }, auto: false, background: false },
    });
    // And again by the newer program.
    await settings?.keep(2, { fromTheFuture: { some: 2 }, auto: false });
    expect((await ask('GET', '/api/settings')).body).toMatchObject({
      changed: ['auto'],
      refused: [{ name: 'fromTheFuture' }],
    });
  });
});

describe('a store that cannot keep settings', () => {
  it('changes nothing where it fails to keep them, and says so', async () => {
    let isAway = false;
    const failing = (store: SessionStore): SessionStore => {
      const { settings } = store;
      if (!settings) return expect.unreachable();
      const keep: typeof settings.keep = (...args) =>
        isAway ? Promise.reject(new Error('away')) : settings.keep(...args);
      return { ...store, settings: { ...settings, keep } };
    };
    const { ask, services } = await startOn(await newFile(), { around: failing });
    await ask('PATCH', '/api/settings', { body: { auto: false } });
    isAway = true;
    const { status } = await ask('PATCH', '/api/settings', { body: { auto: true, windowTokens: 9_000 } });
    expect(status).toBe(500);
    expect(services.agent.settings.get().auto).toBe(false);
    expect(services.agent.settings.get()).not.toHaveProperty('windowTokens');
    isAway = false;
    expect((await ask('GET', '/api/settings')).body).toMatchObject({ auto: false, windowTokens: null });
  });

  it('has them until the server ends, and says so', async () => {
    const without = (store: SessionStore): SessionStore =>
      Object.fromEntries(Object.entries(store).filter(([name]) => name !== 'settings')) as never;
    const { ask } = await startOn(await newFile(), { around: without });
    expect((await ask('PATCH', '/api/settings', { body: { auto: false } })).body).toMatchObject({
      isKept: false,
      auto: false,
    });
  });
});
