import { createStrategy } from '@throughline/core';
import { openMemoryStore } from '@throughline/stores';
import { scriptedModelDriver } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAgent } from '../create-agent.ts';
import { defineTool } from '../tools/define-tool.ts';

const driver = scriptedModelDriver([]);
const store = await openMemoryStore();
const tool = defineTool({ name: 'look', description: 'Looks', input: z.object({}), execute: () => 'seen' });
const summaryDriver = { name: 'mine', complete: () => Promise.reject(new Error('nobody asks')) };

/** What a program without types may hand in. */
const agentOf = (options: object): unknown =>
  createAgent({ driver, store, ...options } as unknown as Parameters<typeof createAgent>[0]);

const refused: readonly (readonly [option: string, options: object])[] = [
  ['instruction', { instruction: 'You are careful.' }],
  ['summarizer', { summarizer: { type: 'code' } }],
  ['driver', { driver: undefined }],
  ['driver', { driver: { complete: () => undefined } }],
  ['driver.name', { driver: { ...driver, name: 1 } }],
  ['driver.limits.windowTokens', { driver: { ...driver, limits: { windowTokens: '64k' } } }],
  ['store', { store: undefined }],
  ['store', { store: openMemoryStore() }],
  ['store', { store: { sessions: {} } }],
  ['clock', { clock: Date.now }],
  ['timer', { timer: {} }],
  ['ids', { ids: {} }],
  ['tools', { tools: { look: tool } }],
  ['tools[1]', { tools: [tool, { name: 'bare', execute: () => 'x' }] }],
  ['instructions', { instructions: ['You are careful.'] }],
  ['summariser', { summariser: summaryDriver }],
  ['summariser.driverOf', { summariser: { type: 'same' } }],
  ['summariser.window', { summariser: { type: 'model', driver: summaryDriver, window: 1_000 } }],
  ['summariser.windowTokens', { summariser: { type: 'model', driver: summaryDriver } }],
  ['summariser.driver', { summariser: { type: 'code', driver: summaryDriver } }],
  ['context.window', { context: { window: 64_000 } }],
  ['context.windowTokens', { context: { windowTokens: Number.NaN } }],
  ['context.strategy', { context: { strategy: 'reactive-overflow' } }],
  ['context.budget.thresholdToken', { context: { budget: { thresholdToken: 9_000 } } }],
  ['context.budget.target', { context: { budget: { target: '40%' } } }],
  ['context.auto', { context: { auto: 'no' } }],
  ['context.profile', { context: { profile: 'coding' } }],
  ['context.wire.maxByte', { context: { wire: { maxByte: 1 } } }],
  ['context.estimator', { context: { estimator: (text: string) => text.length } }],
  ['limits.maxStep', { limits: { maxStep: 3 } }],
  ['limits.maxSteps', { limits: { maxSteps: 0 } }],
  ['approvals.rule', { approvals: { rule: { bash: 'allow' } } }],
  ['approvals.rules.bash', { approvals: { rules: { bash: 'yes' } } }],
  ['approvals.isAttended', { approvals: { isAttended: true } }],
  ['limitsOf', { limitsOf: { bash: {} } }],
  ['retry.tries', { retry: { tries: 3 } }],
  ['retry', { retry: true }],
  ['idle.first', { idle: { first: 3 } }],
  ['idle.firstMs', { idle: { firstMs: '10m' } }],
  ['request.maxTokens', { request: { maxTokens: 3 } }],
  ['request.temperature', { request: { temperature: 'low' } }],
  ['telemetry', { telemetry: true }],
  ['owner', { owner: 1 }],
  ['leaseTtlMs', { leaseTtlMs: 0 }],
];

describe('options of createAgent', () => {
  it.each(refused)('are refused by the name %s', (option, options) => {
    expect(() => agentOf(options)).toThrow(
      expect.objectContaining({ code: 'invalid-option', details: expect.objectContaining({ option }) }),
    );
  });

  it('name what was probably meant', () => {
    expect(() => agentOf({ instruction: 'You are careful.' })).toThrow('did you mean instructions?');
  });

  it('are refused where they are none', () => {
    expect(() => createAgent(undefined as unknown as Parameters<typeof createAgent>[0])).toThrow(
      expect.objectContaining({ code: 'invalid-option' }),
    );
  });

  it('are taken as they are meant', async () => {
    await using agent = createAgent({
      driver,
      store,
      tools: [tool],
      instructions: 'You are careful.',
      summariser: { type: 'model', driver: summaryDriver, windowTokens: 32_000 },
      context: {
        strategy: createStrategy('threshold-tail'),
        windowTokens: 64_000,
        budget: { target: 0.5, thresholdTokens: 9_000 },
        wire: { maxMedia: 3 },
      },
      limits: { maxSteps: 3, maxDurationMs: 1_000, graceMs: 0 },
      approvals: { rules: { look: 'allow' }, isAttended: () => false },
      retry: { attempts: 2, maxDelayMs: Infinity },
      idle: false,
      request: { temperature: 0.2, maxOutputTokens: 900 },
      leaseTtlMs: 30_000,
    });
    expect(agent.store).toBe(store);
  });

  it('of a new session are checked by name, too', async () => {
    await using agent = createAgent({ driver, store });
    await expect(agent.create({ titel: 'Login' } as object)).rejects.toMatchObject({
      code: 'invalid-option',
      details: { option: 'titel' },
    });
  });
});
