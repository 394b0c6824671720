import {
  anthropicCodec,
  createStrategy,
  findModel,
  findProfile,
  mediaPricings,
  openaiChatCodec,
} from '@throughline/core';
import { openMemoryStore } from '@throughline/stores';
import { scriptedModelDriver } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../tools/define-tool.ts';
import { contextSetupOf } from './context-setup.ts';
import type { ModelDriver } from '@throughline/ports';
import type { AgentOptions } from '../options/agent-options.ts';
import type { ContextSetup } from './context-setup.ts';

const store = await openMemoryStore();
const tool = (name: string) =>
  defineTool({ name, description: '', input: z.object({}), reads: () => [], execute: () => '' });
const driverOf = (model: string, more: Partial<ModelDriver> = {}): ModelDriver => ({
  ...scriptedModelDriver([], openaiChatCodec),
  model,
  ...more,
});

function setupOf(options: Partial<AgentOptions> = {}, driver = driverOf('nobody-knows')): ContextSetup {
  return contextSetupOf({ store, driver, ...options }, driver);
}

describe('contextSetupOf', () => {
  it('names recall in placeholders only where it is offered', () => {
    expect(setupOf({ tools: [tool('recall')] }).policy.hasRecall).toBe(true);
    expect(setupOf({ tools: [tool('read')] }).policy.hasRecall).toBe(false);
  });

  it('offers no tools to a model that takes none, and what hangs on them goes with them', () => {
    const tools = [tool('recall')];
    const { prompt, policy } = setupOf({ tools }, driverOf('gpt-5', { abilities: { hasTools: false } }));
    expect([prompt.tools, policy.hasRecall]).toEqual([[], false]);
    expect(setupOf({ tools }, driverOf('gpt-5')).prompt.tools.map(({ name }) => name)).toEqual(['recall']);
    expect(setupOf({ tools }).prompt.tools).toHaveLength(1);
  });

  it('reserves what a request asks for, and keeps to what a prompt may take', () => {
    const limits = { windowTokens: 100_000, maxInputTokens: 20_000 };
    const { budget } = setupOf({ request: { maxOutputTokens: 900 } }, driverOf('m', { limits })).policy;
    expect(budget).toMatchObject({ windowTokens: 100_000, requestMaxTokens: 900, maxInputTokens: 20_000 });
    expect(setupOf({}, driverOf('gpt-5')).policy.budget.maxInputTokens).toBe(272_000);
  });

  it('takes the window that it is told before that of the driver', () => {
    const driver = driverOf('gpt-5', { limits: { windowTokens: 50_000 } });
    expect(setupOf({}, driver).policy.budget.windowTokens).toBe(50_000);
    expect(setupOf({ context: { windowTokens: 9_000 } }, driver).policy.budget.windowTokens).toBe(9_000);
  });

  it('keeps what is set for the answer as far as a window leaves room that nobody has stated', () => {
    const context = { budget: { outputReserveTokens: 20_000 } };
    const reserveIn = (windowTokens: number, more: AgentOptions['context'] = {}): number | undefined =>
      setupOf({ context: { ...context, ...more } }, driverOf('m', { limits: { windowTokens } })).policy.budget
        .outputReserveTokens;
    expect([reserveIn(100_000), reserveIn(16_000)]).toEqual([20_000, 13_760]);
    const byModel = { [driverOf('m').name]: { windowTokens: 16_000 } };
    expect(reserveIn(100_000, { byModel })).toBe(13_760);
    // Who states both is told that they do not go together.
    expect(reserveIn(100_000, { windowTokens: 16_000 })).toBe(20_000);
  });

  it('takes what is said of one model before what is said of all, field by field', () => {
    const context: AgentOptions['context'] = {
      windowTokens: 9_000,
      budget: { target: 0.5, keepTurns: 3 },
      byModel: {
        one: { windowTokens: 7_000, budget: { keepTurns: 1 } },
        two: { budget: { target: 0.4 } },
      },
    };
    const budgetOf = (name: string) => setupOf({ context }, driverOf('m', { name })).policy.budget;
    expect(budgetOf('one')).toMatchObject({ windowTokens: 7_000, target: 0.5, keepTurns: 1 });
    expect(budgetOf('two')).toMatchObject({ windowTokens: 9_000, target: 0.4, keepTurns: 3 });
    expect(budgetOf('toString')).toMatchObject({ windowTokens: 9_000, target: 0.5, keepTurns: 3 });
  });

  it('lets a question use the cached prefix only where prices are known', () => {
    const summariser = {
      type: 'same',
      driverOf: () => ({ name: 's', complete: async () => never() }),
    } as const;
    const usesCachedPrefix = (model: string): unknown =>
      setupOf({ summariser }, driverOf(model)).policy.summariser;
    expect(usesCachedPrefix('gpt-5')).toMatchObject({ type: 'model', canUseCachedPrefix: true });
    expect(usesCachedPrefix('nobody-knows')).toEqual({ type: 'model', canUseCachedPrefix: false });
  });

  it('measures images as the provider of the model does', () => {
    const entry = findModel('claude-sonnet-4-5')?.entry;
    expect(setupOf({}, driverOf('claude-sonnet-4-5')).media).toBe(entry && mediaPricings[entry.media]);
    expect(setupOf().media).toBeUndefined();
  });

  it('knows how many images and bytes a request may have, by the provider or as it is told', () => {
    expect(setupOf({}, driverOf('claude-sonnet-4-5')).wire).toEqual({ maxMedia: 100, maxBytes: 32_000_000 });
    expect(setupOf({}, driverOf('gpt-5')).wire).toEqual({ maxMedia: 500, maxBytes: 50_000_000 });
    expect(setupOf({}, driverOf('nobody-knows', { codec: anthropicCodec })).wire?.maxMedia).toBe(100);
    expect(setupOf().wire).toBeUndefined();
    expect(setupOf({ context: { wire: { maxMedia: 5 } } }, driverOf('gpt-5')).wire).toEqual({ maxMedia: 5 });
  });

  it('has the limits of each tool by default, and what the agent says of them before', () => {
    const limitsOf = (name: string) => (name === 'bash' ? { maxLines: 7 } : undefined);
    const { policy } = setupOf({ limitsOf });
    expect(policy.limitsOf?.('bash')).toEqual({ maxOutputChars: 30_000, maxLines: 7 });
    expect(policy.limitsOf?.('other')?.maxOutputChars).toBe(120_000);
    expect(setupOf().policy.limitsOf).toBeUndefined();
  });

  it('hands on what is said of the context, and says nothing else', () => {
    const context = {
      auto: false,
      background: false,
      profile: findProfile('cms'),
      strategy: createStrategy('digest'),
      budget: { target: 0.3 },
    };
    expect(setupOf({ context }).policy).toMatchObject({ ...context, budget: { target: 0.3 } });
    const { policy } = setupOf();
    expect(policy.strategy.name).toBe('reactive-overflow');
    expect(Object.keys(policy).filter((key) => key in context)).toEqual(['strategy', 'budget']);
    expect(policy.summariser).toEqual({ type: 'code' });
  });
});

function never(): never {
  throw new Error('nobody asks');
}
