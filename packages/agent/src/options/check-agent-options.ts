import {
  anything,
  checkOptions,
  checkStrategy,
  invalidOption,
  numberFrom,
  oneOfTexts,
  optionalFlag,
  optionalFunction,
  optionalText,
  optionsIn,
  required,
  withFunctions,
} from '@throughline/core/internal';
import { isObject } from '@throughline/core/codec';
import type { Strategy } from '@throughline/core';
import type { OptionCheck, OptionChecks } from '@throughline/core/internal';
import type { WireLimits } from '@throughline/core/types';
import type { IdleLimits, NewSession, RetryPolicy } from '@throughline/ports';
import type {
  AgentOptions,
  AgentSettings,
  ContextOptions,
  ModelThresholds,
  RunLimits,
  SummariserChoice,
} from './agent-options.ts';

/** For ever, or without end, is a number too. */
const atLeast = (least: number): OptionCheck => ({
  expected: `a number ≥ ${least}`,
  fits: (value) => typeof value === 'number' && value >= least,
});

const share: OptionCheck = {
  expected: 'a number above 0 and at most 1',
  fits: (value) => typeof value === 'number' && value > 0 && value <= 1,
};

/** An object of somebody else's: what we need of it is looked at, whatever else it has. */
const objectWith = (check: OptionCheck, members: Readonly<Record<string, OptionCheck>>): OptionCheck => ({
  ...check,
  inside: (option, value) => {
    const found = value as Readonly<Record<string, unknown>>;
    const needed = Object.fromEntries(Object.keys(members).map((name) => [name, found[name]]));
    checkOptions(option, needed, members);
  },
});

const offOr = <Options>(what: string, checks: OptionChecks<Options>): OptionCheck => ({
  ...optionsIn<Options>(checks),
  expected: `false, or an object with ${what}`,
  fits: (value) => value === false || isObject(value),
});

const tokens = numberFrom(0);

const limitsOfDriver = objectWith(
  { expected: 'an object', fits: isObject },
  { windowTokens: numberFrom(1), maxOutputTokens: tokens, maxInputTokens: numberFrom(1) },
);

const driver = objectWith(withFunctions('a model driver', 'stream'), {
  name: required(optionalText),
  model: required(optionalText),
  codec: required({ expected: 'a codec', fits: isObject }),
  limits: limitsOfDriver,
});

const store: OptionCheck = {
  expected: 'an open session store (openSqliteStore and openMemoryStore are to be awaited)',
  fits: (value) =>
    withFunctions('', 'write', 'value').fits(value) &&
    isObject((value as { sessions?: unknown }).sessions) &&
    isObject((value as { inbox?: unknown }).inbox),
};

const tools: OptionCheck = {
  expected: 'a list of tools, as defineTool makes one',
  fits: Array.isArray,
};

const answersQuestions = withFunctions('a driver', 'complete');

const summarisers: {
  readonly [Type in SummariserChoice['type']]: OptionChecks<Extract<SummariserChoice, { type: Type }>>;
} = {
  code: { type: anything },
  same: { type: anything, driverOf: required(optionalFunction) },
  // Prices are looked at by the engine itself.
  model: {
    type: anything,
    driver: required(answersQuestions),
    windowTokens: required(numberFrom(1)),
    pricing: { expected: 'prices, as pricingOf gives them', fits: isObject },
  },
};

const isSummariserType = (type: unknown): type is SummariserChoice['type'] =>
  typeof type === 'string' && Object.hasOwn(summarisers, type);

const summariser: OptionCheck = {
  expected: `an object whose type is one of ${Object.keys(summarisers).join(', ')}`,
  fits: (value) => isObject(value) && 'type' in value && isSummariserType(value.type),
  inside: (option, value) => {
    if ('type' in value && isSummariserType(value.type)) {
      checkOptions<object>(option, value, summarisers[value.type]);
    }
  },
};

const windowTokens = numberFrom(1);

const budget = optionsIn<NonNullable<ContextOptions['budget']>>({
  requestMaxTokens: tokens,
  outputReserveTokens: tokens,
  safetyTokens: tokens,
  thresholdTokens: numberFrom(1),
  target: share,
  softThreshold: share,
  keepTokens: tokens,
  keepTurns: tokens,
  leastGainTokens: tokens,
  summaryTokens: tokens,
});

const thresholds: OptionChecks<ModelThresholds> = { windowTokens, budget };

const context: OptionChecks<ContextOptions> = {
  strategy: {
    expected: 'a strategy, as createStrategy makes one',
    fits: isObject,
    inside: (_, value) => void checkStrategy(value as Strategy),
  },
  windowTokens,
  budget,
  byModel: {
    expected: 'an object with thresholds per model name',
    fits: isObject,
    inside: (option, value) => {
      for (const [name, own] of Object.entries(value))
        checkOptions(`${option}[${JSON.stringify(name)}]`, own as ModelThresholds, thresholds);
    },
  },
  auto: optionalFlag,
  profile: objectWith(
    { expected: 'a profile, as findProfile and ownProfile give one', fits: isObject },
    {
      name: required(optionalText),
      sections: required({ expected: 'a list of sections', fits: Array.isArray }),
      rules: required({ expected: 'a list of texts', fits: Array.isArray }),
    },
  ),
  background: optionalFlag,
  showsBudget: optionalFlag,
  wire: optionsIn<WireLimits>({ maxBytes: numberFrom(0), maxMedia: numberFrom(0) }),
  estimator: withFunctions('an estimator', 'count'),
};

const rule = oneOfTexts('allow', 'ask', 'deny');

const rules: OptionCheck = {
  expected: 'an object with a rule per tool name',
  fits: isObject,
  inside: (option, value) =>
    checkOptions<object>(option, value, Object.fromEntries(Object.keys(value).map((name) => [name, rule]))),
};

const limits = optionsIn<RunLimits>({
  maxSteps: atLeast(1),
  maxDurationMs: atLeast(1),
  graceMs: atLeast(0),
});

const checks: OptionChecks<AgentOptions> = {
  driver: required(driver),
  store: required(store),
  clock: withFunctions('a clock', 'nowMs'),
  timer: withFunctions('a timer', 'wait'),
  ids: withFunctions('a source of ids', 'nextId'),
  tools,
  folder: optionalText,
  instructions: optionalText,
  summariser,
  context: optionsIn(context),
  limits,
  titles: {
    expected: "'model', 'code' or false",
    fits: (value) => ['model', 'code', false].includes(value as string),
  },
  approvals: optionsIn<NonNullable<AgentOptions['approvals']>>({ rules, isAttended: optionalFunction }),
  limitsOf: optionalFunction,
  retry: offOr<RetryPolicy>('attempts, firstDelayMs, maxDelayMs, longestWaitMs', {
    attempts: atLeast(1),
    firstDelayMs: atLeast(0),
    maxDelayMs: atLeast(0),
    longestWaitMs: atLeast(0),
  }),
  idle: offOr<IdleLimits>('firstMs, betweenMs', { firstMs: atLeast(0), betweenMs: atLeast(0) }),
  request: optionsIn<NonNullable<AgentOptions['request']>>({
    temperature: tokens,
    maxOutputTokens: numberFrom(1),
  }),
  telemetry: withFunctions('what createTelemetry makes', 'observe', 'within'),
  quotaOf: optionalFunction,
  owner: optionalText,
  leaseTtlMs: numberFrom(1),
};

const newSession: OptionChecks<NewSession> = {
  id: optionalText,
  title: optionalText,
  owner: optionalText,
  folder: optionalText,
  model: optionalText,
};

/** @throws {ContextError} `invalid-option` that names the option, for one that there is not as well. */
export function checkAgentOptions(options: AgentOptions): void {
  checkOptions('', options, checks);
  for (const [index, tool] of (options.tools ?? []).entries()) {
    if (withFunctions('', 'prepare').fits(tool) && typeof tool.name === 'string') continue;
    throw invalidOption(`tools[${index}]`, 'a tool, as defineTool makes one', tool);
  }
}

const settings: OptionChecks<AgentSettings> = {
  driver,
  strategy: context.strategy,
  windowTokens: context.windowTokens,
  budget: context.budget,
  byModel: context.byModel,
  auto: context.auto,
  background: context.background,
  showsBudget: context.showsBudget,
  summariser,
  limits,
  rules,
};

/** @throws {ContextError} `invalid-option`, as {@link checkAgentOptions}. */
export function checkSettings(changed: {
  readonly [Name in keyof AgentSettings]: AgentSettings[Name] | undefined;
}): void {
  checkOptions('', changed, settings);
}

/** @throws {ContextError} `invalid-option`, as {@link checkAgentOptions}. */
export function checkNewSession(session: NewSession): void {
  checkOptions('', session, newSession);
}
