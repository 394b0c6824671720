import { encodeNamed, withModel } from '../settings/named-models.ts';
import { nameInList, nameOfDefault } from '../services.ts';
import { RequestRefused } from '../problem-of.ts';
import { strategyNames } from '@throughline/core/internal';
import type * as wire from '@throughline/protocol/types';
import type { Caller, Services } from '../services.ts';
import type { Handlers } from './handler.ts';
import type { Held, ServerSettings } from '../settings/server-settings.ts';

export type SettingsHandlers = Pick<Handlers, 'getSettings' | 'changeSettings'>;
/** Settings of all sessions. What they are when the server begins is what is configured, and what was kept. */
export const settingsHandlers: SettingsHandlers = {
  async getSettings(_, { services, caller }) {
    const held = await services.settings.load();
    await held.refresh();
    return { status: 200, body: encodeSettings(services, held, caller) };
  },
  async changeSettings({ body }, { services, caller }) {
    if (!mayChange(caller))
      throw new RequestRefused('forbidden', 'Settings hold for the sessions of all owners.');
    const held = await services.settings.load();
    await held.change(body);
    return { status: 200, body: encodeSettings(services, held, caller) };
  },
};

/** What one owner changed would change the sessions of the others. */
function mayChange({ owner }: Caller): boolean {
  return owner === '';
}

/** Every field by its name, so that nothing else can get out. */
function encodeSettings(services: Services, held: ServerSettings, caller: Caller): wire.Settings {
  const { begun, choices } = held;
  const { agent, models } = services;
  const now = agent.settings.get();
  const {
    strategy,
    summariser,
    windowTokens,
    budget = {},
    byModel = {},
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
    byModel: encodeByModel(byModel, models),
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
      ...namesOfChanged(now, withModel(begun, choices), models),
    ],
    canChange: mayChange(caller),
    canName: mayChange(caller) && models.take !== undefined,
    named: encodeNamed(choices),
    isKept: held.isKept,
    refused: held.refused,
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

function encodeByModel(
  byModel: NonNullable<Held['byModel']>,
  models: Services['models'],
): wire.Settings['byModel'] {
  return Object.fromEntries(
    Object.entries(byModel).map(([name, { windowTokens, budget }]) => [
      nameInList(name, models) ?? name,
      { ...(windowTokens !== undefined && { windowTokens }), budget: encodeBudget(budget ?? {}) },
    ]),
  );
}

type Fields = Readonly<Record<string, unknown>>;

function ownOf<Value>(fields: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** Settings that are no parts with fields of their own. */
const plainNames = ['windowTokens', 'auto', 'background', 'showsBudget'] as const;

/** The thresholds of a model, each by its name. */
function flat(byModel: Held['byModel'] = {}, name: string): Fields {
  const { windowTokens, budget = {} } = ownOf(byModel, name) ?? {};
  const told = Object.entries(encodeBudget(budget)).map(([field, value]) => [`budget.${field}`, value]);
  return { ...Object.fromEntries(told), ...(windowTokens !== undefined && { windowTokens }) };
}

/** Names of what is not as it was configured. */
function namesOfChanged(now: Held, configured: Held, models: Services['models']): readonly string[] {
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
    ...Object.keys(now.byModel ?? {}).flatMap((name) =>
      fieldsIn(
        `byModel.${nameInList(name, models) ?? name}`,
        flat(now.byModel, name),
        flat(configured.byModel, name),
      ),
    ),
    ...fieldsIn('limits', { ...now.limits }, { ...configured.limits }),
    ...fieldsIn('approvals', now.rules, configured.rules),
  ];
}
