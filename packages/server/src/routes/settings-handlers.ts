import { createStrategy } from '@throughline/core';
import { strategyNames } from '@throughline/core/internal';
import { RequestRefused } from '../problems/request-refused.ts';
import type { Agent, AgentSettings } from '@throughline/agent';
import type * as wire from '@throughline/protocol/types';
import type { Caller, Services } from '../services.ts';
import type { Handlers } from './handler.ts';

type SettingsHandlers = Pick<Handlers, 'getSettings' | 'changeSettings'>;
type Held = ReturnType<Agent['settings']['get']>;

/** Settings of all sessions. What they are when the server begins is what is configured. */
export function settingsHandlers({ agent }: Pick<Services, 'agent'>): SettingsHandlers {
  const configured = agent.settings.get();
  return {
    getSettings: (_, { services, caller }) =>
      Promise.resolve({ status: 200, body: encodeSettings(services, caller) }),

    changeSettings({ body }, { services, caller }) {
      if (!mayChange(caller))
        throw new RequestRefused('forbidden', 'Settings hold for the sessions of all owners.');
      services.agent.settings.set(changedBy(body, configured, services.agent.settings.get()));
      return Promise.resolve({ status: 200, body: encodeSettings(services, caller) });
    },
  };
}

/** What one owner changed would change the sessions of the others. */
function mayChange({ owner }: Caller): boolean {
  return owner === '';
}

/** Every field by its name, so that nothing else can get out. */
function encodeSettings({ agent, models }: Services, caller: Caller): wire.Settings {
  const {
    strategy,
    summariser,
    windowTokens,
    budget = {},
    auto,
    background,
    showsBudget,
  } = agent.settings.get();
  const { tools, limits } = agent.facts;
  const [model = agent.facts.model] = models.names;
  return {
    model,
    models: models.names,
    summariser: summariser.type,
    strategy: strategy.name,
    strategies: strategyNames,
    trigger: strategy.trigger,
    windowTokens: windowTokens ?? null,
    budget: encodeBudget(budget),
    auto: auto ?? true,
    background: background ?? true,
    showsBudget: showsBudget ?? false,
    tools: tools.map(({ name, approval }) => ({ name, approval })),
    limits: { maxSteps: limits.maxSteps, maxDurationMs: limits.maxDurationMs, graceMs: limits.graceMs },
    canChange: mayChange(caller),
  };
}

const budgetFields: Readonly<Record<keyof wire.SettingsBudget, true>> = {
  requestMaxTokens: true,
  outputReserveTokens: true,
  safetyTokens: true,
  thresholdTokens: true,
  target: true,
  softThreshold: true,
  keepTokens: true,
  keepTurns: true,
  leastGainTokens: true,
  summaryTokens: true,
};

function encodeBudget(budget: NonNullable<Held['budget']>): wire.SettingsBudget {
  const told = Object.entries(budget).filter(
    ([name, value]) => Object.hasOwn(budgetFields, name) && value !== undefined,
  );
  return Object.fromEntries(told);
}

function changedBy(
  { strategy, summariser, budget, ...rest }: wire.ChangeSettingsRequest,
  configured: Held,
  now: Held,
): AgentSettings {
  return {
    ...rest,
    ...(strategy !== undefined && { strategy: strategyNamed(strategy, configured) }),
    ...(summariser !== undefined && {
      summariser: summariser === 'code' ? { type: 'code' } : configured.summariser,
    }),
    ...(budget && { budget: { ...now.budget, ...budget } }),
  };
}

/** @throws {RequestRefused} with the names that there are */
function strategyNamed(name: string, configured: Held): Held['strategy'] {
  if (name === configured.strategy.name) return configured.strategy;
  if (strategyNames.some((known) => known === name)) return createStrategy(name);
  throw new RequestRefused('invalid-request', `There is no strategy ${name}.`, {
    faults: [{ path: '/strategy', message: `expected ${strategyNames.join(' or ')}` }],
  });
}
