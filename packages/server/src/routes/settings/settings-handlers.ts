import { createStrategy } from '@throughline/core';
import { strategyNames } from '@throughline/core/internal';
import { askedModels, chosenSummariser, configuredModels, encodeNamed, withModel } from './named-models.ts';
import { nameOfDefault } from '../../services.ts';
import { RequestRefused } from '../../problems/request-refused.ts';
import type { Agent, AgentSettings } from '@throughline/agent';
import type * as wire from '@throughline/protocol/types';
import type { Caller, Services } from '../../services.ts';
import type { Handlers } from '../handler.ts';
import type { ModelChoices } from './named-models.ts';

type SettingsHandlers = Pick<Handlers, 'getSettings' | 'changeSettings'>;
type Held = ReturnType<Agent['settings']['get']>;

/** Settings of all sessions. What they are when the server begins is what is configured. */
export function settingsHandlers({ agent }: Pick<Services, 'agent'>): SettingsHandlers {
  const begun = agent.settings.get();
  let choices = configuredModels;
  const told = (services: Services, caller: Caller): wire.Settings =>
    encodeSettings(services, { begun, choices, caller });
  return {
    getSettings: (_, { services, caller }) => Promise.resolve({ status: 200, body: told(services, caller) }),

    async changeSettings({ body }, { services, caller }) {
      if (!mayChange(caller))
        throw new RequestRefused('forbidden', 'Settings hold for the sessions of all owners.');
      refuseUnknownTools(body, services.agent);
      const asked = await askedModels(body, services.models);
      const chosen = { ...choices, ...asked };
      const configured = withModel(begun, chosen);
      const { settings } = services.agent;
      settings.set({
        ...changedBy(body, configured, settings.get()),
        ...('model' in asked && { driver: configured.driver }),
        ...(Object.keys(asked).length > 0 && {
          summariser: chosenSummariser(chosen, configured, services.models),
        }),
      });
      choices = chosen;
      return { status: 200, body: told(services, caller) };
    },
  };
}

/** What one owner changed would change the sessions of the others. */
function mayChange({ owner }: Caller): boolean {
  return owner === '';
}

/** Every field by its name, so that nothing else can get out. */
interface Told {
  readonly begun: Held;
  readonly choices: ModelChoices;
  readonly caller: Caller;
}

function encodeSettings(services: Services, { begun, choices, caller }: Told): wire.Settings {
  const { agent, models } = services;
  const now = agent.settings.get();
  const {
    strategy,
    summariser,
    windowTokens,
    budget = {},
    auto,
    background,
    showsBudget,
    limits,
    rules,
  } = now;
  const { tools } = agent.facts;
  return {
    model: nameOfDefault(services),
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
    tools: tools.map(({ name, approval }) => ({ name, approval: ownOf(rules, name) ?? approval })),
    limits: {
      maxSteps: limits.maxSteps,
      maxDurationMs: limits.maxDurationMs ?? null,
      graceMs: limits.graceMs,
    },
    changed: [
      ...(now.driver === begun.driver ? [] : ['model']),
      ...namesOfChanged(now, withModel(begun, choices)),
    ],
    canChange: mayChange(caller),
    canName: mayChange(caller) && models.take !== undefined,
    named: encodeNamed(choices),
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

type Fields = Readonly<Record<string, unknown>>;

function ownOf<Value>(fields: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** Settings that are no parts with fields of their own. */
const plainNames = ['windowTokens', 'auto', 'background', 'showsBudget'] as const;

/** Names of what is not as it was when the server began. */
function namesOfChanged(now: Held, configured: Held): readonly string[] {
  const fieldsIn = (part: string, fields: Fields, before: Fields): readonly string[] =>
    [...new Set([...Object.keys(fields), ...Object.keys(before)])]
      .filter((name) => ownOf(fields, name) !== ownOf(before, name))
      .map((name) => `${part}.${name}`);
  const hasOtherSummariser =
    now.summariser !== configured.summariser &&
    (now.summariser.type === 'model' || now.summariser.type !== configured.summariser.type);
  return [
    ...(now.strategy === configured.strategy ? [] : ['strategy']),
    ...(hasOtherSummariser ? ['summariser'] : []),
    ...plainNames.filter((name) => now[name] !== configured[name]),
    ...fieldsIn(
      'budget',
      encodeBudget(now.budget ?? {}) as Fields,
      encodeBudget(configured.budget ?? {}) as Fields,
    ),
    ...fieldsIn('limits', { ...now.limits }, { ...configured.limits }),
    ...fieldsIn('approvals', now.rules, configured.rules),
  ];
}

/** The fields of a part with those that are named changed; `null` is as configured, a field or all of them. */
function changedFields<Part extends object>(
  change: { readonly [Name in keyof Part]: Part[Name] | null } | null,
  configured: Part,
  now: Part,
): Part {
  if (change === null) return configured;
  const taken = Object.entries(change).map(([name, value]) => [
    name,
    value ?? ownOf(configured as Fields, name),
  ]);
  const fields = Object.entries({ ...now, ...Object.fromEntries(taken) });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as Part;
}

function changedBy(
  { strategy, budget, limits, approvals, ...rest }: wire.ChangeSettingsRequest,
  configured: Held,
  now: Held,
): Parameters<Agent['settings']['set']>[0] {
  const plain = plainNames.flatMap((name) => (name in rest ? [[name, rest[name] ?? configured[name]]] : []));
  return {
    ...Object.fromEntries(plain),
    ...(strategy !== undefined && {
      strategy: strategy === null ? configured.strategy : strategyNamed(strategy, configured),
    }),
    ...(budget !== undefined && {
      budget: changedFields<NonNullable<Held['budget']>>(budget, configured.budget ?? {}, now.budget ?? {}),
    }),
    ...(limits !== undefined && {
      limits: changedFields<AgentSettings['limits'] & object>(limits, configured.limits, now.limits),
    }),
    ...(approvals !== undefined && { rules: changedFields(approvals, configured.rules, now.rules) }),
  };
}

/** @throws {RequestRefused} with the names of the tools that there are */
function refuseUnknownTools({ approvals }: wire.ChangeSettingsRequest, { facts }: Agent): void {
  const known = facts.tools.map(({ name }) => name);
  const unknown = Object.keys(approvals ?? {}).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const message = `is no tool here; known are ${known.join(', ')}`;
  throw new RequestRefused('invalid-request', `There is no tool ${unknown.join(', ')}.`, {
    faults: unknown.map((name) => ({ path: `/approvals/${name}`, message })),
  });
}

/** @throws {RequestRefused} with the names that there are */
function strategyNamed(name: string, configured: Held): Held['strategy'] {
  if (name === configured.strategy.name) return configured.strategy;
  if (strategyNames.some((known) => known === name)) return createStrategy(name);
  throw new RequestRefused('invalid-request', `There is no strategy ${name}.`, {
    faults: [{ path: '/strategy', message: `expected ${strategyNames.join(' or ')}` }],
  });
}
